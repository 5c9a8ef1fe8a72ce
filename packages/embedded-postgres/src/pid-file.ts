import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the path of the file in which PostgreSQL keeps its pid and its state. */
export function pidFilePath(clusterDirectory: string): string {
  return join(clusterDirectory, 'postmaster.pid');
}

/** Reads the lines of PostgreSQL's pid file. Returns none if the file does not exist. */
export function readPidFile(pidFile: string): string[] {
  try {
    return readFileSync(pidFile, 'utf8').split('\n');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
