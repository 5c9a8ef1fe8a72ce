import type { Command } from 'commander';
import type { Commands } from './actions.ts';

/** Adds `lockstep member …`: passwords of employees. */
export function addTo(member: Command, commands: Commands): void {
  commands.onDatabase(
    member,
    'set-password <globalId>',
    'give an employee a new password; prints the account and, this once, the password',
    async () => (await import('../database/passwords.ts')).setMemberPassword,
  );
}
