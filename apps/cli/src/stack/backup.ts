import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, linkSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Config } from '@lockstep/config';
import { backUpCluster, syncDirectory } from '@lockstep/embedded-postgres';
import { CommandFault } from '../output/status.ts';
import { findDatabaseUrl, postgresDirectory } from './stack.ts';

/**
 * Writes everything that the PostgreSQL of the running `npm start` in DATA_DIR holds into a file that only its owner
 * can read. The file gets its name when it is complete and on disk, and replaces no other.
 * @param begin runs before anything is copied
 * @returns the file and its size
 * @throws Error when nothing runs there, the file exists already, or it cannot be written; nothing is left then
 */
export async function backUpStack(
  config: Config,
  file: string,
  begin: () => Promise<void>,
): Promise<{ file: string; bytes: number }> {
  if (existsSync(file)) throw new CommandFault('usage', `${file} is there already. Choose another name.`);
  const databaseUrl = await findDatabaseUrl(config);
  const unfinished = `${file}.${randomUUID()}.part`;
  const remove = () => rmSync(unfinished, { force: true });
  process.once('exit', remove);
  const descriptor = create(unfinished);
  let bytes = 0;
  try {
    await begin();
    // Written synchronously, so that the server waits for the disk.
    await backUpCluster(postgresDirectory(config), databaseUrl, (part) => {
      writeFileSync(descriptor, part);
      bytes += part.length;
    });
    fsyncSync(descriptor);
    // Unlike a rename, a link replaces nothing, whatever has appeared meanwhile.
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
