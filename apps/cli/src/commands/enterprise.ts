import type { Command } from 'commander';
import type { Commands } from './actions.ts';

/** Adds `lockstep enterprise …`. */
export function addTo(enterprise: Command, commands: Commands): void {
  commands.onDatabase(
    enterprise,
    'create-admin <enterpriseGlobalId>',
    'Create an administrator of an enterprise; print the password (shown once)',
    async () => (await import('../database/passwords.ts')).createEnterpriseAdmin,
  );
  commands.onDatabase(
    enterprise,
    'set-mobile <enterpriseId> <mobile>',
    'Set the security mobile number of an enterprise',
    async () => (await import('../database/enterprises.ts')).setMobile,
  );
}
