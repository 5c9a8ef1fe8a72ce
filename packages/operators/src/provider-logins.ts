import { recordFailure } from '@lockstep/access';
import { ConsoleRefusal, OperatorName, type OperatorRole } from '@lockstep/contract/console';
import { type Database, inTransaction, type Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { recordChange } from './audit-log.ts';

/** A person who has logged in at the provider (rules 9 Logins by a provider). */
export interface ProviderPerson {
  /** The provider, and its id of the person, which it never gives to another one. */
  issuer: string;
  subject: string;
  /** Their user name or e-mail address there, which may change. */
  userName: string;
  /** The highest role of their groups; undefined if none has a role. */
  role: OperatorRole | undefined;
}

/** The operator whom a person is. */
interface Found {
  id: string;
  name: string;
  role: OperatorRole;
  disabled_time: Date | null;
}

/**
 * Returns the operator of a person, with the person's role: the known one, one that an admin has linked, or a new one.
 * Throws a ConsoleRefusal: provider_without_role, provider_name_unusable, provider_name_taken, operator_disabled.
 */
export async function provideOperator(trx: Trx, person: ProviderPerson, requestId: string): Promise<Found> {
  const { role } = person;
  if (role === undefined) throw new ConsoleRefusal('provider_without_role');
  const operator = (await find(trx, person)) ?? (await add(trx, { ...person, role }, requestId));
  if (operator.disabled_time !== null) throw new ConsoleRefusal('operator_disabled');
  if (operator.role === role) return operator;
  await sql`update operator set role = ${role} where id = ${operator.id}`.execute(trx);
  const actor = { operatorId: operator.id, name: operator.name, requestId };
  const [before, after] = [{ role: operator.role }, { role, by: 'provider' }];
  await recordChange(trx, actor, { action: 'operator.role_changed', target: operator.name, before, after });
  return { ...operator, role };
}

async function find(trx: Trx, { issuer, subject }: ProviderPerson): Promise<Found | undefined> {
  const { rows } = await sql<Found>`
    select id, name, role, disabled_time from operator
    where issuer = ${issuer} and subject = ${subject} for update`.execute(trx);
  return rows[0];
}

/** Adds the operator of a person, or gives the person the linked one of their name, unless another call just did. */
async function add(trx: Trx, person: ProviderPerson & { role: OperatorRole }, requestId: string): Promise<Found> {
  const { issuer, subject, userName, role } = person;
  const { data: name } = OperatorName.safeParse(userName.split('@', 1)[0]!.toLowerCase());
  if (name === undefined) throw new ConsoleRefusal('provider_name_unusable', userName);
  const { rows } = await sql<{ id: string; is_new: boolean }>`
    insert into operator as known (name, role, issuer, subject) values (${name}, ${role}, ${issuer}, ${subject})
    on conflict (name) do update set issuer = excluded.issuer, subject = excluded.subject
      where known.password_hash is null and known.issuer is null
    returning new.id, old.id is null as is_new`.execute(trx);
  if (rows[0]?.is_new === true) {
    const actor = { operatorId: rows[0].id, name, requestId };
    await recordChange(trx, actor, { action: 'operator.created', target: name, after: { role, by: 'provider' } });
  }
  const added = await find(trx, person);
  if (added === undefined) throw new ConsoleRefusal('provider_name_taken', name);
  return added;
}

/** Adds a refused login to the audit log: a person's first one from an address within 15 minutes (rules 9). */
export async function recordRefused(
  db: Database,
  { issuer, subject, userName }: ProviderPerson,
  { address, requestId }: { address: string; requestId: string },
  cause: string,
): Promise<void> {
  await inTransaction(db, async (trx) => {
    const name = JSON.stringify([issuer, subject]);
    const { isFirst } = await recordFailure(trx, { kind: 'provider', name, party: address });
    if (!isFirst) return;
    const actor = { operatorId: null, name: address, requestId };
    const after = { by: 'provider', cause };
    await recordChange(trx, actor, { action: 'operator.log_in_failed', target: userName, after });
  });
}
