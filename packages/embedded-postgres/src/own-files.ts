import { closeSync, fsyncSync, lstatSync, openSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Checks that no other user has prepared these paths, from the outer to the inner one: what exists, and what a link
 * leads to, must belong to this user or root, and no one else may write to it (rules 9).
 * @throws Error that says what to do
 */
export function requireOwn(...paths: string[]): void {
  const user = process.geteuid!();
  for (const path of paths) {
    for (const look of [lstatSync, statSync]) {
      const found = look(path, { throwIfNoEntry: false });
      if (found === undefined) continue;
      // Every link has the mode 777.
      const othersWrite = !found.isSymbolicLink() && (found.mode & 0o022) !== 0;
      if (othersWrite || (found.uid !== 0 && found.uid !== user)) {
        throw new Error(
          `Another user can change ${path}, which belongs to user ${found.uid}. Choose another DATA_DIR, or remove ` +
            `what is not yours and run chown ${user} and chmod go-w on it.`,
        );
      }
    }
  }
}

/** Writes a file that only its owner can read, whole or not at all. */
export function writeDurably(file: string, text: string): void {
  const temporaryFile = `${file}.new`;
  rmSync(temporaryFile, { force: true });
  writeFileSync(temporaryFile, `${text}\n`, { mode: 0o600, flag: 'wx', flush: true });
  renameSync(temporaryFile, file);
  syncDirectory(dirname(file));
}

/** Writes the names in a directory to disk, so that a created or renamed file survives a power failure. */
export function syncDirectory(directory: string): void {
  const descriptor = openSync(directory, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
