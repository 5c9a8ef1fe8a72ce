import type { Command } from 'commander';
import type { Commands } from './actions.ts';

const load = () => import('../database/maintenance.ts');

/** Adds `lockstep database …`: the backup of `npm start`, and what every restore needs (docs/operations.md). */
export function addTo(database: Command, commands: Commands): void {
  commands.onDatabase(
    database,
    'backup <file>',
    'write all that the PostgreSQL of a running npm start holds into a file, while it works',
    async () => (await load()).backUp,
  );
  commands.onDatabase(
    database,
    'restore <file>',
    'make the PostgreSQL of a new DATA_DIR from such a file, and move the ids on',
    async () => (await load()).restore,
  );
  commands.onDatabase(
    database,
    'skip-ids',
    'move ids and asset numbers on by a million, after a restore by other means and before the API starts',
    async () => (await load()).skip,
  );
}
