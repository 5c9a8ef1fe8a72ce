import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, openSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, chooseQueueBackend } from '@lockstep/config';
import { startEmbeddedPostgres, unpackCluster } from '@lockstep/embedded-postgres';
import { syncDirectory } from '@lockstep/embedded-postgres/own-files';
import { openDatabase } from '@lockstep/platform';
import { CommandFault } from '../output/status.ts';
import { migrateDatabase } from './migrate-database.ts';
import { skipIds } from './skip-ids.ts';
import { postgresDirectory, prepareDataDir } from './stack.ts';

/**
 * Restores a backup of backUpStack as the PostgreSQL of `npm start` in DATA_DIR, with new passwords, the tables of this
 * release, and ids skipped. It appears in DATA_DIR only once it is complete.
 * @throws Error if DATA_DIR has a database, or the file is not such a backup; then nothing is left
 */
export async function restoreStack(config: Config, file: string): Promise<void> {
  const directory = postgresDirectory(config);
  if (existsSync(directory))
    throw new CommandFault('refused', `${config.DATA_DIR} already has a database. Choose another DATA_DIR.`);
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
