import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Reserves a directory until it is released or this process dies, even by SIGKILL. */
interface DirectoryLock {
  /** A file with this process's pid, until the lock is released or another process takes it. */
  readonly ownerFile: string;
  release(): void;
}

// Garbage collection would close a handle and release its lock, so keep them all reachable.
const held = new Set<DatabaseSync>();

const SQLITE_BUSY = 5;

/** Returns the paths of the lock and of its owner file. */
export function lockPaths(directory: string): [lockFile: string, ownerFile: string] {
  return [join(directory, 'lock'), join(directory, 'lock.pid')];
}

/**
 * Locks the directory for this process by SQLite's file lock: the kernel releases it when the process dies, children do
 * not inherit it, and it also excludes two callers in one process. Node.js has no other such lock.
 * @throws Error if a running process holds the lock
 */
export function lockDirectory(directory: string): DirectoryLock {
  // Nothing else in this process may open this file: closing any descriptor of it would release the lock.
  const [lockFile, ownerFile] = lockPaths(directory);
  const database = new DatabaseSync(lockFile);
  try {
    // Without a commit there is no need for a journal on disk.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
    throw new Error(
      `${directory} is in use by another running process (${describeLockHolder(ownerFile)}). ` +
        'Stop that process first, or choose another DATA_DIR.',
    );
  }
  held.add(database);
  // Anyone who could read it could lock it.
  chmodSync(lockFile, 0o600);
  // The lock does not say who holds it. The message above and the watchdog need to know.
  rmSync(ownerFile, { force: true });
  writeFileSync(ownerFile, `${process.pid}\n`, { mode: 0o600, flag: 'wx' });
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
