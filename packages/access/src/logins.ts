import { createHash } from 'node:crypto';
import type { ApplicationId, MemberId } from '@lockstep/contract';
import type { Database, Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { countFailure, FAILURE_WINDOW, MAX_FAILURES, MAX_FAILURES_OF_ALL } from './lock-out.ts';
import type { PasswordHasher } from './passwords.ts';

/** The application id in `login_failure` that stands for all applications together. */
const ALL_APPLICATIONS = '0' as ApplicationId;

/** A user whose password was right, with the hash it was checked against, to see later whether the password has changed. */
interface LoggedIn {
  memberId: MemberId;
  passwordHash: string;
}

/** A full account name and the password that was typed. */
export interface Login {
  account: string;
  password: string;
}

/** What logins work with. */
export interface LoginTools {
  db: Database;
  passwords: PasswordHasher;
  /** Aborts when nobody waits for the login any more. */
  signal: AbortSignal;
}

interface AccountRow {
  id: MemberId | null;
  password_hash: string | null;
  is_locked: boolean;
}

/**
 * Checks a login that comes through an application. Returns undefined if account or password is wrong or the account is
 * locked. Neither the result nor the time shows which, or whether there is such an account (rules 2).
 *
 * Throws an Overload; then nothing was counted.
 */
export async function logIn(
  { db, passwords, signal }: LoginTools,
  applicationId: ApplicationId,
  { account, password }: Login,
): Promise<LoggedIn | undefined> {
  const found = await findAccount(db, applicationId, account);
  const { id, password_hash: passwordHash, is_locked: isLocked } = found;
  const isRight = await passwords.isPassword(password, passwordHash, { kind: 'login', party: applicationId, signal });
  // While the account is locked nothing counts, whatever the password.
  if (isLocked) return undefined;
  if (isRight && id !== null && passwordHash !== null) return { memberId: id, passwordHash };
  await recordFailure(db, applicationId, account);
  return undefined;
}

/**
 * Whether the checked password is still the user's, and the account still not locked. Row locks order this against password
 * changes, deletions and failed logins, so `endLogins` deletes every token.
 */
export async function isStillLoggedIn(
  trx: Trx,
  applicationId: ApplicationId,
  account: string,
  loggedIn: LoggedIn,
): Promise<boolean> {
  const member = await trx
    .selectFrom('member')
    .select('id')
    .where('id', '=', loggedIn.memberId)
    .where('password_hash', '=', loggedIn.passwordHash)
    .where('deleted_time', 'is', null)
    .forShare()
    .executeTakeFirst();
  if (member === undefined) return false;
  const failures = await trx
    .selectFrom('login_failure')
    .select(sql<boolean>`coalesce(locked_until > statement_timestamp(), false)`.as('isLocked'))
    .where('account_hash', '=', hashAccount(account))
    .where('application_id', 'in', [applicationId, ALL_APPLICATIONS])
    // In the order in which a failure is recorded.
    .orderBy('application_id', 'desc')
    .forShare()
    .execute();
  return failures.every(({ isLocked }) => !isLocked);
}

/** Failures are kept by the hash of the account, so that whatever is typed into the field takes 32 bytes. */
function hashAccount(account: string): Buffer {
  return createHash('sha256').update(account).digest();
}

/** Deletes a member's tokens and counted failures, when the password changes or the member is deleted. */
export async function endLogins(trx: Trx, member: { id: MemberId; account: string }): Promise<void> {
  await trx.deleteFrom('access_token').where('member_id', '=', member.id).execute();
  const accountHash = hashAccount(member.account);
  // In the order in which a failure is recorded, so that the two do not wait for each other.
  await sql`
    delete from login_failure where account_hash = ${accountHash} and application_id = any (array (
      select application_id from login_failure where account_hash = ${accountHash}
      order by application_id desc for update))`.execute(trx);
}

const ACCOUNT = /^([A-Za-z0-9]{1,62})@([a-z0-9]{6,10})$/;

/** Finds an account; its id and hash are null if there is none. */
async function findAccount(db: Database, applicationId: ApplicationId, account: string): Promise<AccountRow> {
  const [, userName = '', code = ''] = ACCOUNT.exec(account) ?? [];
  const { rows } = await sql<AccountRow>`
    select found.id, found.password_hash, exists (
      select from login_failure
      where account_hash = ${hashAccount(account)} and application_id in (${applicationId}, ${ALL_APPLICATIONS})
        and locked_until > now()
    ) as is_locked
    from (values (0)) as account
    left join (
      select member.id, password_hash from member join enterprise on enterprise.id = enterprise_id
      where code = ${code} and user_name = ${userName} and deleted_time is null
    ) as found on true`.execute(db);
  return rows[0]!;
}

/**
 * Counts a failure for the application, and for all of them together unless the application's lock already holds. The tenth
 * within 15 minutes, or of all together the hundredth, locks the account and starts a new count.
 */
async function recordFailure(db: Database, applicationId: ApplicationId, account: string): Promise<void> {
  const accountHash = hashAccount(account);
  const failure = sql`array[statement_timestamp()], statement_timestamp() + ${FAILURE_WINDOW}`;
  await sql`
    with own as (
      insert into login_failure as known (account_hash, application_id, failed_times, expires_time)
      values (${accountHash}, ${applicationId}, ${failure})
      on conflict (account_hash, application_id) do update set ${countFailure(MAX_FAILURES)}
      returning coalesce(old.locked_until > statement_timestamp(), false) as was_locked
    )
    insert into login_failure as known (account_hash, application_id, failed_times, expires_time)
    select ${accountHash}, ${ALL_APPLICATIONS}::bigint, ${failure} from own where not was_locked
    on conflict (account_hash, application_id) do update set ${countFailure(MAX_FAILURES_OF_ALL)}`.execute(db);
}
