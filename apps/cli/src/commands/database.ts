import type { Config } from '@lockstep/config';
import { newCommand, recordChange } from '@lockstep/operators';
import type { Command } from 'commander';
import { skipIds } from '../database/skip-ids.ts';
import type { WithDatabase } from '../database/with-database.ts';
import { endOnSignals, resolveCallerPath, say } from '../output/terminal.ts';

/**
 * Adds `lockstep database` to the command: the backup of `npm start`, and what every restore needs
 * (docs/operations.md).
 * @param withDatabase runs work on the database of the command
 */
export function addDatabaseCommands(program: Command, config: Config, withDatabase: WithDatabase): void {
  const database = program.command('database').description('backup and restore');
  // backup and restore are imported when they run: no other command needs the embedded PostgreSQL.
  const requireStack = () => {
    if (config.DATABASE_URL === undefined) return;
    throw new Error('DATABASE_URL is set, and this is for the PostgreSQL of npm start. For another one use pg_dump.');
  };
  database
    .command('backup <file>')
    .description('write all that the PostgreSQL of a running npm start holds into a file, while it works')
    .action(async (given: string) => {
      requireStack();
      endOnSignals(() => 'Stopped. There is no backup.');
      const { backUpStack } = await import('../stack/backup.ts');
      const file = resolveCallerPath(given);
      // It holds all data, so it is recorded before it begins.
      const change = { action: 'database.backup_begun', target: null, before: null, after: { file } };
      const begin = () => withDatabase((db) => recordChange(db, newCommand(), change));
      say(JSON.stringify(await backUpStack(config, file, begin)));
    });
  database
    .command('restore <file>')
    .description('make the PostgreSQL of a new DATA_DIR from such a file, and move the ids on')
    .action(async (file: string) => {
      requireStack();
      endOnSignals(() => `Stopped. Nothing was restored; postgres-unfinished-… in ${config.DATA_DIR} may be removed.`);
      const { restoreStack } = await import('../stack/restore.ts');
      await restoreStack(config, resolveCallerPath(file));
      say(`${config.DATA_DIR} has the database of ${file}. Start it with npm start.`);
    });
  database
    .command('skip-ids')
    .description('move ids and asset numbers on by a million, after a restore by other means and before the API starts')
    .action(async () => {
      await withDatabase((db) => skipIds(db, 'database.ids_skipped'));
      say('Ids and asset numbers begin a million further on.');
    });
}
