import { OPERATOR_ROLES } from '@lockstep/contract/words';
import { type Command, Option } from 'commander';
import type { Commands } from './actions.ts';

const load = () => import('../database/operators.ts');

/** Adds `lockstep operator …`: who may log in to the console (rules 9). */
export function addTo(operator: Command, commands: Commands): void {
  commands
    .onDatabase(
      operator,
      'create',
      'make an operator; prints the name and, this once, the password',
      async () => (await load()).create,
    )
    .argument('<name>', 'lower-case letters, digits, and . _ - between them')
    .addOption(new Option('--role <role>', 'what it may do').choices(OPERATOR_ROLES).makeOptionMandatory());
  commands.onDatabase(
    operator,
    'list',
    'all operators by name, a line of JSON each; no passwords',
    async () => (await load()).list,
  );
  commands.onDatabase(
    operator,
    'reset-password <name>',
    'give an operator a new password and end the sessions; prints the name and, this once, the password',
    async () => (await load()).resetPassword,
  );
  commands.onDatabase(
    operator,
    'disable <name>',
    'end the sessions of an operator, and let nobody log in as it',
    async () => (await load()).disable,
  );
  commands.onDatabase(
    operator,
    'enable <name>',
    'let a disabled operator log in again',
    async () => (await load()).enable,
  );
}
