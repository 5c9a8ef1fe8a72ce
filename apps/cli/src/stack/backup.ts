import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, linkSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Config } from '@lockstep/config';
import { backUpCluster } from '@lockstep/embedded-postgres';
import { syncDirectory } from '@lockstep/embedded-postgres/own-files';
import { CommandFault } from '../output/status.ts';
import { findDatabaseUrl, postgresDirectory } from './stack.ts';

/**
 * Backs up the PostgreSQL of the `npm start` that runs in DATA_DIR into a file that only its owner can read. The file
 * gets its name once it is complete and on disk, and never replaces another one.
 * @param begin runs before the copy
 * @returns the file and its size
 * @throws Error if no `npm start` runs there, the file exists, or it cannot be written; then no file is left
 */
export async function backUpStack(
  config: Config,
  file: string,
  begin: () => Promise<void>,
): Promise<{ file: string; bytes: number }> {
  if (existsSync(file)) throw new CommandFault('usage', `${file} already exists. Choose another name.`);
  const databaseUrl = await findDatabaseUrl(config);
  const unfinished = `${file}.${randomUUID()}.part`;
  const remove = () => rmSync(unfinished, { force: true });
  process.once('exit', remove);
  const descriptor = create(unfinished);
  let bytes = 0;
  try {
    await begin();
    // Synchronous writes make the server wait for the disk.
    await backUpCluster(postgresDirectory(config), databaseUrl, (part) => {
      writeFileSync(descriptor, part);
      bytes += part.length;
    });
    fsyncSync(descriptor);
    // Unlike a rename, a link never replaces a file that has appeared meanwhile.
    linkSync(unfinished, file);
    syncDirectory(dirname(file));
    return { file, bytes };
  } finally {
    closeSync(descriptor);
    remove();
    process.off('exit', remove);
  }
}

function create(file: string): number {
  try {
    return openSync(file, 'wx', 0o600);
  } catch (error) {
    throw new CommandFault('usage', `The backup cannot be written: ${(error as Error).message}`, { cause: error });
  }
}
