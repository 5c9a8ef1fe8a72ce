import type { Command } from 'commander';
import type { Commands } from './actions.ts';

const load = () => import('../database/passwords.ts');

/** Adds `lockstep member …` and `lockstep enterprise …`: passwords of employees. */
export function addPasswordCommands(program: Command, commands: Commands): void {
  const member = program.command('member').description('employees of enterprises');
  commands.onDatabase(
    member,
    'set-password <globalId>',
    'give an employee a new password; prints the account and, this once, the password',
    async () => (await load()).setMemberPassword,
  );
  const enterprise = program.command('enterprise').description('enterprise main accounts');
  commands.onDatabase(
    enterprise,
    'create-admin <globalId>',
    'make a new administrator; prints the account and, this once, the password',
    async () => (await load()).createEnterpriseAdmin,
  );
}
