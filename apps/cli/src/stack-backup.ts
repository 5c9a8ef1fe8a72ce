import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Config } from '@lockstep/platform';
import { streamBaseBackup } from './base-backup.ts';
import { syncDirectory } from './embedded-postgres-cluster.ts';
import { findDatabaseUrl } from './stack.ts';

/**
 * Writes everything that the PostgreSQL of the `npm start` in DATA_DIR holds into a file for its owner's eyes, while it
 * works. The file appears under its name when it is whole and on disk, and replaces none.
 * @throws Error where nothing runs there, the file is there already, or it cannot be written; nothing is left then
 */
export async function backUpStack(config: Config, file: string): Promise<{ file: string; bytes: number }> {
  if (existsSync(file)) throw new Error(`${file} is there already. Choose another name.`);
  const url = new URL(await findDatabaseUrl(config));
  url.username = 'postgres';
  url.password = readFileSync(join(config.DATA_DIR, 'postgres', 'superuser-password'), 'utf8').trim();
  const unfinished = `${file}.${randomUUID()}.part`;
  const remove = () => rmSync(unfinished, { force: true });
  process.once('exit', remove);
  const descriptor = create(unfinished);
  let bytes = 0;
  try {
    // Written as it comes, so that the server waits for the disk.
    await streamBaseBackup(url.href, (part) => {
      writeFileSync(descriptor, part);
      bytes += part.length;
    });
    fsyncSync(descriptor);
    // Unlike a rename it replaces nothing, whatever has come meanwhile.
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
    throw new Error(`The backup cannot be written: ${(error as Error).message}`, { cause: error });
  }
}
