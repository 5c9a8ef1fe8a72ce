import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Reserves a directory for this process until it is released or the process dies, even by SIGKILL. */
interface DirectoryLock {
  /** A file that holds our pid until the lock is released or another process takes it. */
  readonly ownerFile: string;
  release(): void;
}

// Garbage collection would close a handle and release its lock, so all of them stay reachable.
const held = new Set<DatabaseSync>();

const SQLITE_BUSY = 5;

/**
 * Locks the directory for this process. The kernel releases SQLite's file lock when we die, children do not inherit it,
 * and it works between two callers in one process, too; Node.js has no other lock like that.
 * @throws Error when a living process holds the lock
 */
export function lockDirectory(directory: string): DirectoryLock {
  // Nothing else in this process may open this file: closing any descriptor of it would release the lock.
  const lockFile = join(directory, 'lock');
  const database = new DatabaseSync(lockFile);
  const ownerFile = join(directory, 'lock.pid');
  try {
    // Nothing is ever committed, so it needs no journal on disk.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
    throw new Error(
      `${directory} is in use by another living process (${describeLockHolder(ownerFile)}). ` +
        'Stop that one first, or choose another DATA_DIR.',
    );
  }
  held.add(database);
  // Anyone who could read it could lock it.
  chmodSync(lockFile, 0o600);
  // For the message above and for the watchdog: the lock itself does not say who holds it.
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

function describeLockHolder(ownerFile: string): string {
  try {
    return `pid ${readFileSync(ownerFile, 'utf8').trim()}`;
  } catch {
    return 'pid unknown';
  }
}
