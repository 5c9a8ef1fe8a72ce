import { PasswordHasher } from '@lockstep/access';
import { OperatorName, type OperatorRole } from '@lockstep/contract/console';
import {
  createOperator,
  disableOperator,
  enableOperator,
  listOperators,
  newCommand,
  resetOperatorPassword,
} from '@lockstep/operators';
import type { Database } from '@lockstep/platform';
import { CommandFault } from '../output/status.ts';
import { say } from '../output/terminal.ts';
import type { DatabaseTools } from './with-database.ts';

export async function create(
  { withDatabase }: DatabaseTools,
  given: string,
  { role }: { role: OperatorRole },
): Promise<void> {
  const { data: name, error } = OperatorName.safeParse(given);
  if (name === undefined) throw new CommandFault('usage', `The name ${error.issues[0]?.message}.`);
  say(JSON.stringify(await withDatabase((db) => createOperator(toolsOn(db), { name, role }, newCommand()))));
}

export async function list({ withDatabase }: DatabaseTools): Promise<void> {
  for (const listed of await withDatabase(listOperators)) say(JSON.stringify(listed));
}

export async function resetPassword({ withDatabase }: DatabaseTools, name: string): Promise<void> {
  say(JSON.stringify(await withDatabase((db) => resetOperatorPassword(toolsOn(db), name, newCommand()))));
}

export async function disable({ withDatabase }: DatabaseTools, name: string): Promise<void> {
  await withDatabase((db) => disableOperator(db, name, newCommand()));
  say(`Operator ${name} is disabled`);
}

export async function enable({ withDatabase }: DatabaseTools, name: string): Promise<void> {
  await withDatabase((db) => enableOperator(db, name, newCommand()));
  say(`Operator ${name} is enabled`);
}

const toolsOn = (db: Database) => ({ db, passwords: new PasswordHasher() });
