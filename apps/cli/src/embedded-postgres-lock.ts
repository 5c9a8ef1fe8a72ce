import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Holds a directory for this process until it is released, or until the process dies, however it dies. */
interface DirectoryLock {
  /** Holds our pid until the lock is released, or another process has taken it. */
  readonly ownerFile: string;
  release(): void;
}

// A handle that is garbage collected is closed, and its lock with it: keep them all reachable.
const held = new Set<DatabaseSync>();

const SQLITE_BUSY = 5;

/**
 * Takes the directory for this process. SQLite's lock on its file is one that the kernel drops when we die, is not
 * inherited by children, and works within one process as well; Node.js has no other.
 * @throws Error when a living process holds it
 */
export function lockDirectory(directory: string): DirectoryLock {
  // Nothing else in this process may open this file: closing any descriptor of it would drop the lock.
  const lockFile = join(directory, 'lock');
  const database = new DatabaseSync(lockFile);
  const ownerFile = join(directory, 'lock.pid');
  try {
    // Nothing is ever committed, so no journal need lie beside it on disk.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
    throw new Error(
      `${directory} is in use by another living process (${readOwner(ownerFile)}). ` +
        'Stop that one first, or choose another DATA_DIR.',
    );
  }
  held.add(database);
  // Who could read it could lock it.
  chmodSync(lockFile, 0o600);
  // For the message above and for the watchdog: the lock itself cannot be read.
  rmSync(ownerFile, { force: true });
  writeFileSync(ownerFile, `${process.pid}\n`, { mode: 0o600 });
  return {
    ownerFile,
    release() {
      if (!held.delete(database)) return;
      rmSync(ownerFile, { force: true });
      database.close();
    },
  };
}

function readOwner(ownerFile: string): string {
  try {
    return `pid ${readFileSync(ownerFile, 'utf8').trim()}`;
  } catch {
    return 'pid unknown';
  }
}
