import type { Config } from '@lockstep/config';
import { newCommand, recordChange } from '@lockstep/operators';
import { CommandFault } from '../output/status.ts';
import { endOnSignals, resolveCallerPath, say } from '../output/terminal.ts';
import { skipIds } from '../stack/skip-ids.ts';
import type { DatabaseTools } from './with-database.ts';

// Actions import backup and restore themselves: skip-ids needs no embedded PostgreSQL.

export async function backUp({ config, withDatabase }: DatabaseTools, given: string): Promise<void> {
  requireStack(config);
  endOnSignals(() => 'Stopped. No backup was written.');
  const { backUpStack } = await import('../stack/backup.ts');
  const file = resolveCallerPath(given);
  // A backup contains all data, so the audit log has it before it begins.
  const change = { action: 'database.backup_begun', target: null, before: null, after: { file } };
  const begin = () => withDatabase((db) => recordChange(db, newCommand(), change));
  say(JSON.stringify(await backUpStack(config, file, begin)));
}

export async function restore({ config }: DatabaseTools, file: string): Promise<void> {
  requireStack(config);
  endOnSignals(() => `Stopped. Nothing was restored. You can delete postgres-unfinished-… in ${config.DATA_DIR}.`);
  const { restoreStack } = await import('../stack/restore.ts');
  await restoreStack(config, resolveCallerPath(file));
  say(`Restored ${file} into ${config.DATA_DIR}. Start it with npm start.`);
}

export async function skip({ withDatabase }: DatabaseTools): Promise<void> {
  await withDatabase((db) => skipIds(db, 'database.ids_skipped'));
  say('Skipped a million IDs and asset numbers.');
}

function requireStack({ DATABASE_URL }: Config): void {
  if (DATABASE_URL === undefined) return;
  throw new CommandFault(
    'refused',
    'This command is for the embedded PostgreSQL of npm start, but DATABASE_URL is set. Unset it, or use pg_dump.',
  );
}
