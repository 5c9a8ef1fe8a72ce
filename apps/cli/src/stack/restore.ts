import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, openSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, chooseQueueBackend } from '@lockstep/config';
import { startEmbeddedPostgres, syncDirectory, unpackCluster } from '@lockstep/embedded-postgres';
import { openDatabase } from '@lockstep/platform';
import { CommandFault } from '../output/status.ts';
import { migrateDatabase } from './migrate-database.ts';
import { skipIds } from './skip-ids.ts';
import { postgresDirectory, prepareDataDir } from './stack.ts';

/**
 * Creates the PostgreSQL of `npm start` in DATA_DIR from a file of backUpStack, with passwords of its own, the tables
 * of this release, and the ids moved on. It appears in DATA_DIR when all of that is done.
 * @throws Error when DATA_DIR has a database, or the file is no such backup; nothing is left then
 */
export async function restoreStack(config: Config, file: string): Promise<void> {
  const directory = postgresDirectory(config);
  if (existsSync(directory))
    throw new CommandFault('refused', `${config.DATA_DIR} has a database already. Choose another DATA_DIR.`);
  const backup = open(file);
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
}

function open(file: string): number {
  try {
    return openSync(file, 'r');
  } catch (error) {
    throw new CommandFault('usage', `The backup cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

async function bringUp(config: Config, directory: string, file: string): Promise<void> {
  const postgres = await startEmbeddedPostgres({ directory });
  try {
    await migrateDatabase(postgres.databaseUrl, chooseQueueBackend(config, postgres.databaseUrl));
    const db = openDatabase({
      url: postgres.databaseUrl,
      poolSize: 1,
      applicationName: 'lockstep-restore',
      onError: () => {},
    });
    await skipIds(db, 'database.restored', { file }).finally(() => db.destroy());
  } finally {
    await postgres.stop();
  }
}
