import { OPERATOR_ROLES } from '@lockstep/contract/words';
import { type Command, Option } from 'commander';
import type { Commands } from './actions.ts';

const load = () => import('../database/operators.ts');

/** Adds `lockstep operator …` (rules 9). */
export function addTo(operator: Command, commands: Commands): void {
  commands
    .onDatabase(
      operator,
      'create',
      'Create an operator; print the password (shown once)',
      async () => (await load()).create,
    )
    .argument('<name>', 'Lowercase letters and digits, with . _ - only in between')
    .addOption(
      new Option('--role <role>', 'Role of the operator (required)').choices(OPERATOR_ROLES).makeOptionMandatory(),
    );
  commands.onDatabase(
    operator,
    'list',
    'List all operators by name, as one JSON object per line',
    async () => (await load()).list,
  );
  commands.onDatabase(
    operator,
    'reset-password <name>',
    "Reset an operator's password and end their sessions; print the new password (shown once)",
    async () => (await load()).resetPassword,
  );
  commands.onDatabase(
    operator,
    'disable <name>',
    'Disable an operator and end their sessions',
    async () => (await load()).disable,
  );
  commands.onDatabase(operator, 'enable <name>', 'Enable a disabled operator', async () => (await load()).enable);
}
