import type { Command } from 'commander';
import type { Commands } from './actions.ts';

const load = () => import('../database/maintenance.ts');

/** Adds `lockstep database …`. */
export function addTo(database: Command, commands: Commands): void {
  commands.onDatabase(
    database,
    'backup <file>',
    'Back up the embedded PostgreSQL of a running npm start to a file',
    async () => (await load()).backUp,
  );
  commands.onDatabase(
    database,
    'restore <file>',
    'Restore a backup of npm start into a new DATA_DIR, and skip IDs',
    async () => (await load()).restore,
  );
  commands.onDatabase(
    database,
    'skip-ids',
    'Skip a million IDs and asset numbers, so that none is given out twice. Run it after a restore with another tool, before the API starts',
    async () => (await load()).skip,
  );
}
