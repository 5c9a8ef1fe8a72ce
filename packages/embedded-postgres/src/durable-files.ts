import { chownSync, closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { SystemUser } from './launcher.ts';

/** Writes a file that only its owner can read, whole or not at all. */
export function writeDurably(file: string, text: string, owner: SystemUser | undefined): void {
  const temporaryFile = `${file}.new`;
  rmSync(temporaryFile, { force: true });
  writeFileSync(temporaryFile, `${text}\n`, { mode: 0o600, flag: 'wx', flush: true });
  if (owner !== undefined) chownSync(temporaryFile, owner.uid, owner.gid);
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
