import type { Command } from 'commander';
import type { Commands } from './actions.ts';

/** Adds `lockstep member …`. */
export function addTo(member: Command, commands: Commands): void {
  commands.onDatabase(
    member,
    'set-password <memberGlobalId>',
    "Reset an employee's password; print the new password (shown once)",
    async () => (await import('../database/passwords.ts')).setMemberPassword,
  );
}
