import { newPassword, type PasswordHasher, type PasswordTools } from '@lockstep/access';
import type { Channels } from '@lockstep/contract';
import {
  type ConsoleOperator,
  ConsoleRefusal,
  type NewOperatorLogin,
  type OperatorRole,
} from '@lockstep/contract/console';
import { type Database, inTransaction, readBest, type Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { recordChange } from './audit-log.ts';
import { NO_LINK } from './log-in-links.ts';
import type { Actor } from './operator.ts';
import { setPasswordHash } from './sessions.ts';

/** An operator as admins see them. */
export type ListedOperator = Omit<ConsoleOperator, 'createdTime' | 'disabledTime' | 'lastUsedTime'> & {
  createdTime: Date;
  disabledTime: Date | null;
  lastUsedTime: Date | null;
};

/** Creates an operator with a random password (rules 9). Throws a ConsoleRefusal: name_taken; not_found. */
export async function createOperator(
  { db, passwords }: PasswordTools,
  { name, role, channels = null }: { name: string; role: OperatorRole; channels?: Channels },
  actor: Actor,
): Promise<NewOperatorLogin> {
  const password = newPassword();
  const hash = await hashPassword(passwords, password);
  try {
    await inTransaction(db, async (trx) => {
      await requireChannels(trx, channels);
      await sql`
        insert into operator (name, role, channels, password_hash)
        values (${name}, ${role}, ${channels}, ${hash})`.execute(trx);
      const after = { role, ...(channels && { channels }) };
      await recordChange(trx, actor, { action: 'operator.created', target: name, after });
    });
  } catch (error) {
    const isTaken = (error as { constraint?: string }).constraint === 'operator_name_taken';
    throw isTaken ? new ConsoleRefusal('name_taken', name) : error;
  }
  return { name, password };
}

/** Finds the operators that match a text best. */
export const searchOperators = (db: Database, text: string, limit: number) =>
  readBest<{ name: string; role: OperatorRole; isDisabled: boolean }>(db, {
    ...{ table: 'operator', rows: sql`operator`, text, limit },
    columns: sql`name, role, disabled_time is not null as "isDisabled"`,
  });

/** Lists all operators by name. */
export async function listOperators(db: Database): Promise<ListedOperator[]> {
  const { rows } = await sql<ListedOperator>`
    select operator.id as "operatorId", name, role, channels, password_hash is null as "byProvider",
      operator.created_time as "createdTime", disabled_time as "disabledTime", sessions, "lastUsedTime"
    from operator cross join lateral (
      select count(*)::int as sessions, max(used_time) as "lastUsedTime" from operator_session
      where operator_id = operator.id and expires_time > statement_timestamp()
    ) as used
    order by name`.execute(db);
  return rows;
}

/**
 * Sets a new random password, also for who logged in by the provider, and ends the operator's sessions, login link and
 * the lock by failed logins. Throws a ConsoleRefusal: not_found.
 */
export async function resetOperatorPassword(
  { db, passwords }: PasswordTools,
  name: string,
  actor: Actor,
): Promise<NewOperatorLogin> {
  const password = newPassword();
  const hash = await hashPassword(passwords, password);
  await inTransaction(db, async (trx) => {
    const { id } = await lockOperator(trx, name);
    await setPasswordHash(trx, { id, name }, hash);
    await recordChange(trx, actor, { action: 'operator.password_reset', target: name });
  });
  return { name, password };
}

/**
 * Makes an operator log in by the provider: the next person there with this name gets the account. Ends the password,
 * the sessions and an earlier link to a person. Throws a ConsoleRefusal: not_found.
 */
export async function linkOperator(db: Database, name: string, actor: Actor): Promise<void> {
  await inTransaction(db, async (trx) => {
    const { id } = await lockOperator(trx, name);
    await setPasswordHash(trx, { id, name }, null);
    await recordChange(trx, actor, { action: 'operator.linked', target: name });
  });
}

/** Changes an operator's role. Throws a ConsoleRefusal: not_found; role_by_provider; last_admin. */
export async function setOperatorRole(db: Database, name: string, role: OperatorRole, actor: Actor): Promise<void> {
  await inTransaction(db, async (trx) => {
    const admins = await lockEnabledAdmins(trx);
    const before = await lockOperator(trx, name);
    if (before.password_hash === null) throw new ConsoleRefusal('role_by_provider', name);
    if (before.role === role) return;
    requireAnotherAdmin(admins, name);
    await sql`update operator set role = ${role} where id = ${before.id}`.execute(trx);
    const change = { before: { role: before.role }, after: { role } };
    await recordChange(trx, actor, { action: 'operator.role_changed', target: name, ...change });
  });
}

/**
 * Limits an operator to channels, or with null lifts the limit (rules 9 Channels of operators). Throws a
 * ConsoleRefusal: not_found, also if there is no such channel.
 */
export async function setOperatorChannels(db: Database, name: string, channels: Channels, actor: Actor): Promise<void> {
  await inTransaction(db, async (trx) => {
    const before = await lockOperator(trx, name);
    await requireChannels(trx, channels);
    await sql`update operator set channels = ${channels} where id = ${before.id}`.execute(trx);
    const change = { before: { channels: before.channels }, after: { channels } };
    await recordChange(trx, actor, { action: 'operator.channels_bound', target: name, ...change });
  });
}

/** Throws a ConsoleRefusal, not_found, that names the first channel that does not exist. */
async function requireChannels(trx: Trx, channels: Channels): Promise<void> {
  const { rows } = await sql<{ code: string }>`
    select wanted.code from unnest(${channels}::text[]) with ordinality as wanted (code, place)
    where not exists (select from channel where channel.code = wanted.code) order by place limit 1`.execute(trx);
  if (rows[0] !== undefined) throw new ConsoleRefusal('not_found', 'channel', rows[0].code);
}

/** Disables an operator, and ends their sessions and login link. Throws a ConsoleRefusal: not_found; last_admin. */
export async function disableOperator(db: Database, name: string, actor: Actor): Promise<void> {
  await inTransaction(db, async (trx) => {
    const admins = await lockEnabledAdmins(trx);
    const { id, disabled_time } = await lockOperator(trx, name);
    if (disabled_time !== null) return;
    requireAnotherAdmin(admins, name);
    await sql`update operator set disabled_time = statement_timestamp(), ${NO_LINK} where id = ${id}`.execute(trx);
    await sql`delete from operator_session where operator_id = ${id}`.execute(trx);
    await recordChange(trx, actor, { action: 'operator.disabled', target: name });
  });
}

/** Lets a disabled operator log in again, as before. Throws a ConsoleRefusal: not_found. */
export async function enableOperator(db: Database, name: string, actor: Actor): Promise<void> {
  await inTransaction(db, async (trx) => {
    const { id, disabled_time } = await lockOperator(trx, name);
    if (disabled_time === null) return;
    await sql`update operator set disabled_time = null where id = ${id}`.execute(trx);
    await recordChange(trx, actor, { action: 'operator.enabled', target: name });
  });
}

async function hashPassword(passwords: PasswordHasher, password: string): Promise<string> {
  const [hash] = await passwords.hashAll([password], { party: 'operators' });
  return hash!;
}

interface StoredOperator {
  id: string;
  role: OperatorRole;
  channels: string[] | null;
  password_hash: string | null;
  disabled_time: Date | null;
}

async function lockOperator(trx: Trx, name: string): Promise<StoredOperator> {
  const { rows } = await sql<StoredOperator>`
    select id, role, channels, password_hash, disabled_time from operator where name = ${name} for update`.execute(trx);
  if (rows[0] === undefined) throw new ConsoleRefusal('not_found', 'operator', name);
  return rows[0];
}

/** Locks the enabled admins in one order, so that two concurrent changes can't remove the last two. */
async function lockEnabledAdmins(trx: Trx): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from operator where role = 'admin' and disabled_time is null order by id for update`.execute(trx);
  return rows.map(({ name }) => name);
}

/** Throws a ConsoleRefusal, last_admin, if this operator is the only enabled admin. */
function requireAnotherAdmin(admins: readonly string[], name: string): void {
  if (admins.length === 1 && admins[0] === name) throw new ConsoleRefusal('last_admin');
}
