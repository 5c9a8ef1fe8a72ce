import type { Config } from '@lockstep/config';
import { newCommand, recordChange } from '@lockstep/operators';
import { CommandFault } from '../output/status.ts';
import { endOnSignals, resolveCallerPath, say } from '../output/terminal.ts';
import { skipIds } from '../stack/skip-ids.ts';
import type { DatabaseTools } from './with-database.ts';

// backup and restore are imported when they run: skip-ids needs no embedded PostgreSQL.

export async function backUp({ config, withDatabase }: DatabaseTools, given: string): Promise<void> {
  requireStack(config);
  endOnSignals(() => 'Stopped. There is no backup.');
  const { backUpStack } = await import('../stack/backup.ts');
  const file = resolveCallerPath(given);
  // It holds all data, so it is recorded before it begins.
  const change = { action: 'database.backup_begun', target: null, before: null, after: { file } };
  const begin = () => withDatabase((db) => recordChange(db, newCommand(), change));
  say(JSON.stringify(await backUpStack(config, file, begin)));
}

export async function restore({ config }: DatabaseTools, file: string): Promise<void> {
  requireStack(config);
  endOnSignals(() => `Stopped. Nothing was restored; postgres-unfinished-… in ${config.DATA_DIR} may be removed.`);
  const { restoreStack } = await import('../stack/restore.ts');
  await restoreStack(config, resolveCallerPath(file));
  say(`${config.DATA_DIR} has the database of ${file}. Start it with npm start.`);
}

export async function skip({ withDatabase }: DatabaseTools): Promise<void> {
  await withDatabase((db) => skipIds(db, 'database.ids_skipped'));
  say('Ids and asset numbers begin a million further on.');
}

function requireStack({ DATABASE_URL }: Config): void {
  if (DATABASE_URL === undefined) return;
  throw new CommandFault(
    'refused',
    'DATABASE_URL is set, and this is for the PostgreSQL of npm start. For another one use pg_dump.',
  );
}
