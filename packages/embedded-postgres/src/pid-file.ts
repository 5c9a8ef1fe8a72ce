import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The path of the file in which PostgreSQL keeps its pid and its state. */
export function pidFilePath(clusterDirectory: string): string {
  return join(clusterDirectory, 'postmaster.pid');
}

/** Reads the lines of PostgreSQL's pid file; none when there is no file. */
export function readPidFile(pidFile: string): string[] {
  try {
    return readFileSync(pidFile, 'utf8').split('\n');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
