import type { Command } from 'commander';
import type { Commands } from './actions.ts';

/** Adds `lockstep enterprise …`: the first employee of an enterprise. */
export function addTo(enterprise: Command, commands: Commands): void {
  commands.onDatabase(
    enterprise,
    'create-admin <globalId>',
    'make a new administrator; prints the account and, this once, the password',
    async () => (await import('../database/passwords.ts')).createEnterpriseAdmin,
  );
}
