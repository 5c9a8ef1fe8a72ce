import { PasswordHasher } from '@lockstep/access';
import { OperatorName, OperatorRole } from '@lockstep/contract/console';
import {
  createOperator,
  disableOperator,
  enableOperator,
  listOperators,
  newCommand,
  resetOperatorPassword,
} from '@lockstep/operators';
import type { Database } from '@lockstep/platform';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { say } from '../output/terminal.ts';
import type { WithDatabase } from './with-database.ts';

/** Adds `lockstep operator …`: who may log in to the console (rules 9). */
export function addOperatorCommands(program: Command, withDatabase: WithDatabase): void {
  const operator = program.command('operator').description('who may log in to the console');
  operator
    .command('create')
    .description('make an operator; prints the name and, this once, the password')
    .argument('<name>', 'lower-case letters, digits, and . _ - between them', parseOperatorName)
    .addOption(new Option('--role <role>', 'what it may do').choices(OperatorRole.options).makeOptionMandatory())
    .action(async (name: string, { role }: { role: OperatorRole }) => {
      say(JSON.stringify(await withDatabase((db) => createOperator(toolsOn(db), { name, role }, newCommand()))));
    });
  operator
    .command('list')
    .description('all operators by name, a line of JSON each; no passwords')
    .action(async () => {
      for (const listed of await withDatabase(listOperators)) say(JSON.stringify(listed));
    });
  operator
    .command('reset-password <name>')
    .description('give an operator a new password and end the sessions; prints the name and, this once, the password')
    .action(async (name: string) => {
      say(JSON.stringify(await withDatabase((db) => resetOperatorPassword(toolsOn(db), name, newCommand()))));
    });
  operator
    .command('disable <name>')
    .description('end the sessions of an operator, and let nobody log in as it')
    .action(async (name: string) => {
      await withDatabase((db) => disableOperator(db, name, newCommand()));
      say(`${name} is disabled`);
    });
  operator
    .command('enable <name>')
    .description('let a disabled operator log in again')
    .action(async (name: string) => {
      await withDatabase((db) => enableOperator(db, name, newCommand()));
      say(`${name} is enabled`);
    });
}

const toolsOn = (db: Database) => ({ db, passwords: new PasswordHasher() });

function parseOperatorName(given: string): string {
  const { data, error } = OperatorName.safeParse(given);
  if (data === undefined) throw new InvalidArgumentError(`The name ${error.issues[0]?.message}.`);
  return data;
}
