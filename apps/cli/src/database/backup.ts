import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Config, chooseQueueBackend } from '@lockstep/config';
import { backUpCluster, startEmbeddedPostgres, unpackCluster } from '@lockstep/embedded-postgres';
import { syncDirectory } from '@lockstep/embedded-postgres/own-files';
import { newCommand, recordChange } from '@lockstep/operators';
import { openDatabase } from '@lockstep/platform';
import { CommandFault } from '../output/status.ts';
import { endOnSignals, resolveCallerPath } from '../output/terminal.ts';
import { migrateDatabase } from '../stack/migrate-database.ts';
import { findDatabaseUrl, postgresDirectory, prepareDataDir } from '../stack/stack.ts';
import { skipIds } from './skip-ids.ts';
import { withDatabase } from './with-database.ts';

/**
 * Backs up the PostgreSQL of the `npm start` that runs in DATA_DIR into a file that only its owner can read. The file
 * gets its name once it is complete and on disk, and never replaces another one. Returns the file and its size.
 * @throws Error if no `npm start` runs there, the file exists, or it cannot be written; then no file is left
 */
export async function backUp(config: Config, given: string): Promise<{ file: string; bytes: number }> {
  endOnSignals(() => 'Stopped. No backup was written.');
  const file = resolveCallerPath(given);
  if (existsSync(file)) throw new CommandFault('usage', `${file} already exists. Choose another name.`);
  const databaseUrl = await findDatabaseUrl(config);
  const unfinished = `${file}.${randomUUID()}.part`;
  const remove = () => rmSync(unfinished, { force: true });
  process.once('exit', remove);
  const descriptor = open(unfinished, 'wx', 'The backup cannot be written');
  let bytes = 0;
  try {
    // A backup contains all data, so the audit log has it before it begins.
    const change = { action: 'database.backup_begun', target: null, before: null, after: { file } };
    await withDatabase(config, (db) => recordChange(db, newCommand(), change));
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

/**
 * Restores a backup as the PostgreSQL of `npm start` in DATA_DIR, with new passwords, the tables of this release, and
 * ids skipped. It appears in DATA_DIR only once it is complete.
 * @throws Error if DATA_DIR has a database, or the file is not a backup; then nothing is left
 */
export async function restore(config: Config, given: string): Promise<string> {
  endOnSignals(() => `Stopped. Nothing was restored. You can delete postgres-unfinished-… in ${config.DATA_DIR}.`);
  const file = resolveCallerPath(given);
  const directory = postgresDirectory(config);
  if (existsSync(directory))
    throw new CommandFault('refused', `${config.DATA_DIR} already has a database. Choose another DATA_DIR.`);
  const backup = open(file, 'r', 'The backup cannot be read');
  const unfinished = join(config.DATA_DIR, `postgres-unfinished-${randomUUID()}`);
  try {
    await prepareDataDir(config);
    await unpackCluster(unfinished, backup);
    await bringUp(config, unfinished, file);
    renameSync(unfinished, directory);
    syncDirectory(config.DATA_DIR);
  } finally {
    closeSync(backup);
    rmSync(unfinished, { recursive: true, force: true });
  }
  return `Restored ${given} into ${config.DATA_DIR}. Start it with npm start.`;
}

function open(file: string, flags: 'r' | 'wx', fault: string): number {
  try {
    return openSync(file, flags, 0o600);
  } catch (error) {
    throw new CommandFault('usage', `${fault}: ${(error as Error).message}`, { cause: error });
  }
}

/** Migrates a restored cluster to this release, and skips ids. */
async function bringUp(config: Config, directory: string, file: string): Promise<void> {
  const postgres = await startEmbeddedPostgres({ directory });
  try {
    const url = postgres.databaseUrl;
    await migrateDatabase(url, chooseQueueBackend(config, url));
    const db = openDatabase({ url, poolSize: 1, applicationName: 'lockstep-restore', onError: () => {} });
    await skipIds(db, 'database.restored', { file }).finally(() => db.destroy());
  } finally {
    await postgres.stop();
  }
}
