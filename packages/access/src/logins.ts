import { createHash } from 'node:crypto';
import type { ApplicationId, MemberId } from '@lockstep/contract';
import { type Database, inTransaction, type Trx } from '@lockstep/platform';
import { type RawBuilder, sql } from 'kysely';
import type { HashOwner, PasswordTools } from './passwords.ts';

/**
 * How many failed logins lock a name (rules 2). Those of one party lock the name for that party only, so that it
 * cannot lock out another; those of all parties together lock it for all.
 */
const MAX_FAILURES = 10;
const MAX_FAILURES_OF_ALL = 100;
/** How long a failed login counts. */
const FAILURE_WINDOW = sql`interval '15 minutes'`;
const LOCK_TIME = sql`interval '5 minutes'`;

/** Stands for all parties together. It sorts first. */
const ALL_PARTIES = '';

/**
 * An attempt to log in, by a user's account, an operator's name or a person at the provider, or to confirm an
 * operator's own password.
 */
export interface Attempt {
  kind: 'user' | 'operator' | 'confirmation' | 'provider';
  name: string;
  /** Where the attempt comes from: the id of an application for users, otherwise an address. */
  party: string;
}

/** The consequences of a failed login. */
export interface Failure {
  /** True for the party's first failure within 15 minutes. */
  isFirst: boolean;
  /** Until when the name is locked, for the party or for all parties; null if the failure does not lock it. */
  lockedUntil: Date | null;
  lockedForAllUntil: Date | null;
}

/** Failures are stored under the hash of the name, so a name takes 32 bytes however long it is. */
const hashName = (name: string) => createHash('sha256').update(name).digest();

interface CheckOptions {
  owner: HashOwner;
  note?: (trx: Trx, failure: Failure) => Promise<void>;
}

/**
 * Checks a password against the hash that `find` returns, if any. Returns undefined if the password is wrong or the
 * name is locked; a wrong password counts as a failure unless the name is locked. Neither the result nor the time
 * reveals which. `note` runs in the transaction that counts the failure, and must take equally long whether or not the
 * name exists.
 *
 * Throws an Overload; then nothing was counted.
 */
export async function checkPassword<Found extends { passwordHash: string | null }>(
  { db, passwords, owner, note }: Omit<PasswordTools, 'signal'> & CheckOptions,
  attempt: Attempt,
  password: string,
  find: () => Promise<Found | undefined>,
): Promise<Found | undefined> {
  const found = await find();
  const isRight = await passwords.isPassword(password, found?.passwordHash ?? null, owner);
  // While the name is locked, no attempt counts, even with the right password.
  if (await isLocked(db, attempt)) return undefined;
  if (isRight) return found;
  if (note === undefined) await recordFailure(db, attempt);
  else await inTransaction(db, async (trx) => await note(trx, await recordFailure(trx, attempt)));
  return undefined;
}

/**
 * Whether failed logins have locked a name for a party or for all. Inside a transaction it waits for failures that
 * others are counting.
 */
export async function isLocked(db: Database | Trx, { kind, name, party }: Attempt): Promise<boolean> {
  // Rows are locked in the same order as in recordFailure and forgetFailures, to avoid deadlocks.
  const { rows } = await sql<{ is_locked: boolean }>`
    select coalesce(locked_until > statement_timestamp(), false) as is_locked from login_failure
    where kind = ${kind} and name_hash = ${hashName(name)} and party in (${party}, ${ALL_PARTIES})
    order by party desc for share`.execute(db);
  return rows.some((row) => row.is_locked);
}

/** Deletes the counted failures of a name, so that its new password works at once. */
export async function forgetFailures(trx: Trx, { kind, name }: Omit<Attempt, 'party'>): Promise<void> {
  const isOfName = sql`kind = ${kind} and name_hash = ${hashName(name)}`;
  await sql`
    delete from login_failure where ${isOfName} and party = any (array (
      select party from login_failure where ${isOfName} order by party desc for update))`.execute(trx);
}

/**
 * Counts a failure for the party, and for all parties unless the party is already locked. The tenth failure of the
 * party within 15 minutes, or the hundredth of all, locks the name and starts a new count.
 */
export async function recordFailure(db: Database | Trx, { kind, name, party }: Attempt): Promise<Failure> {
  const nameHash = hashName(name);
  const columns = sql`(kind, name_hash, party, failed_times, expires_time)`;
  const failure = sql`array[statement_timestamp()], statement_timestamp() + ${FAILURE_WINDOW}`;
  const lock = sql`case when new.locked_until is distinct from old.locked_until then new.locked_until end as lock`;
  const { rows } = await sql<Failure>`
    with own as (
      insert into login_failure as known ${columns}
      values (${kind}, ${nameHash}, ${party}, ${failure})
      on conflict (kind, name_hash, party) do update set ${countFailure(MAX_FAILURES)}
      returning coalesce(old.locked_until > statement_timestamp(), false) as was_locked, ${lock},
        new.first_time is distinct from old.first_time as is_first
    ), of_all as (
      insert into login_failure as known ${columns}
      select ${kind}, ${nameHash}, ${ALL_PARTIES}, ${failure} from own where not was_locked
      on conflict (kind, name_hash, party) do update set ${countFailure(MAX_FAILURES_OF_ALL)}
      returning ${lock}
    )
    select is_first as "isFirst", own.lock as "lockedUntil", of_all.lock as "lockedForAllUntil"
    from own left join of_all on true`.execute(db);
  return rows[0]!;
}

/** Adds one failure to a row named `known`, unless the row is locked. */
function countFailure(maxFailures: number): RawBuilder<unknown> {
  return sql`(failed_times, first_time, locked_until, expires_time) = (
    select
      case when is_locked then known.failed_times when locks then '{}' else recent end,
      case when known.first_time > statement_timestamp() - ${FAILURE_WINDOW} then known.first_time
        else statement_timestamp() end,
      case when is_locked then known.locked_until when locks then statement_timestamp() + ${LOCK_TIME} end,
      statement_timestamp() + ${FAILURE_WINDOW}
    from (
      select recent, coalesce(known.locked_until > statement_timestamp(), false) as is_locked,
        cardinality(recent) >= ${maxFailures} as locks
      from (
        select array_append(
          array(select t from unnest(known.failed_times) as t where t > statement_timestamp() - ${FAILURE_WINDOW}),
          statement_timestamp()
        ) as recent
      ) as remembered
    ) as judged
  )`;
}

/**
 * A user whose password was right, and the hash it was checked against, which later shows whether the password has
 * changed.
 */
interface LoggedIn {
  memberId: MemberId;
  passwordHash: string | null;
}

/** A full account name and a password, as typed. */
export interface Login {
  account: string;
  password: string;
}

const attemptOf = (applicationId: ApplicationId, account: string): Attempt => ({
  kind: 'user',
  name: account,
  party: applicationId,
});

/**
 * Checks a login that comes through an application. Returns undefined if the account or password is wrong, or the
 * account is locked. Neither the result nor the time reveals which, or whether the account exists (rules 2).
 *
 * Throws an Overload; then nothing was counted.
 */
export async function logIn(
  { db, passwords, signal }: PasswordTools,
  applicationId: ApplicationId,
  { account, password }: Login,
): Promise<LoggedIn | undefined> {
  const owner = { party: `login ${applicationId}`, signal };
  return await checkPassword({ db, passwords, owner }, attemptOf(applicationId, account), password, () =>
    findAccount(db, account),
  );
}

/**
 * Whether the checked password is still current and the account still unlocked. Row locks order this against password
 * changes, deletions and failed logins, so `endLogins` deletes every token.
 */
export async function isStillLoggedIn(
  trx: Trx,
  applicationId: ApplicationId,
  account: string,
  loggedIn: LoggedIn,
): Promise<boolean> {
  const { memberId, passwordHash } = loggedIn;
  const { rows } = await sql`
    select from member where id = ${memberId} and password_hash = ${passwordHash} and deleted_time is null
    for share`.execute(trx);
  return rows.length > 0 && !(await isLocked(trx, attemptOf(applicationId, account)));
}

/** Deletes an employee's tokens and counted failures, when the password changes or the employee is deleted. */
export async function endLogins(trx: Trx, member: { id: MemberId; account: string }): Promise<void> {
  await sql`delete from access_token where member_id = ${member.id}`.execute(trx);
  await forgetFailures(trx, { kind: 'user', name: member.account });
}

const ACCOUNT = /^([A-Za-z0-9]{1,62})@([a-z0-9]{6,10})$/;

async function findAccount(db: Database, account: string): Promise<LoggedIn | undefined> {
  // Even a malformed account name is looked up, so that the answer takes equally long.
  const [, userName = '', code = ''] = ACCOUNT.exec(account) ?? [];
  const { rows } = await sql<LoggedIn>`
    select member.id as "memberId", password_hash as "passwordHash"
    from member join enterprise on enterprise.id = enterprise_id
    where code = ${code} and user_name = ${userName} and deleted_time is null`.execute(db);
  return rows[0];
}
