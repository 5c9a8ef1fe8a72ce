import { createHash } from 'node:crypto';
import { type Database, MAX_LOCK_WAIT_MS, type Trx, waitAtMost } from '@lockstep/platform';
import { sql } from 'kysely';
import type { PasswordHasher } from './passwords.ts';

/** Failed logins of an account that lock it, and for how long (decisions 2). */
const MAX_FAILURES = 10;
const FAILURE_WINDOW = sql`interval '15 minutes'`;
const LOCK_TIME = sql`interval '5 minutes'`;

/** A user whose password was right: the hash that it was compared with says that it still is. */
export interface LoggedIn {
  memberId: string;
  passwordHash: string;
}

interface AccountRow {
  id: string | null;
  password_hash: string | null;
  is_locked: boolean;
}

/**
 * Checks a full account name and its password; undefined where they are wrong, or the account is locked. Which of these
 * it is, and whether there is such an account, shows neither in the answer nor in how long it takes (decisions 2).
 *
 * Throws a Refusal: overloaded.
 */
export async function logIn(
  db: Database,
  passwords: PasswordHasher,
  account: string,
  password: string,
): Promise<LoggedIn | undefined> {
  const accountHash = hashAccount(account);
  const { id, password_hash: passwordHash, is_locked: isLocked } = await findAccount(db, account, accountHash);
  const isRight = await passwords.isPassword(password, passwordHash);
  if (isRight && !isLocked && id !== null && passwordHash !== null) return { memberId: id, passwordHash };
  await recordFailure(db, accountHash);
  return undefined;
}

/**
 * Whether the password that was compared is still the user's, and the account not locked meanwhile. Whoever changes the
 * password, deletes the user or records a failure waits until the transaction ends, or this one for them: so no token is
 * issued that `endLogins` does not see.
 */
export async function isStillLoggedIn(trx: Trx, account: string, loggedIn: LoggedIn): Promise<boolean> {
  await waitAtMost(trx, MAX_LOCK_WAIT_MS);
  const member = await trx
    .selectFrom('member')
    .select('id')
    .where('id', '=', loggedIn.memberId)
    .where('password_hash', '=', loggedIn.passwordHash)
    .where('deleted_time', 'is', null)
    .forShare()
    .executeTakeFirst();
  if (member === undefined) return false;
  const failure = await trx
    .selectFrom('login_failure')
    .select(sql<boolean>`coalesce(locked_until > statement_timestamp(), false)`.as('isLocked'))
    .where('account_hash', '=', hashAccount(account))
    .forShare()
    .executeTakeFirst();
  return failure === undefined || !failure.isLocked;
}

/** An account is known by its hash here, so that whatever is typed into the field is 32 bytes. */
function hashAccount(account: string): Buffer {
  return createHash('sha256').update(account).digest();
}

/** Ends what a member has of logins: all tokens, and failures that were counted. For a new password, or none. */
export async function endLogins(trx: Trx, member: { id: string; account: string }): Promise<void> {
  await trx.deleteFrom('access_token').where('member_id', '=', member.id).execute();
  await trx.deleteFrom('login_failure').where('account_hash', '=', hashAccount(member.account)).execute();
}

const ACCOUNT = /^([A-Za-z0-9]{1,62})@([a-z0-9]{6,10})$/;

/** One row, whether or not there is such an account. */
async function findAccount(db: Database, account: string, accountHash: Buffer): Promise<AccountRow> {
  const [, userName = '', code = ''] = ACCOUNT.exec(account) ?? [];
  const { rows } = await sql<AccountRow>`
    select found.id, found.password_hash, coalesce(failure.locked_until > now(), false) as is_locked
    from (select ${accountHash}::bytea as account_hash) as account
    left join login_failure as failure using (account_hash)
    left join (
      select member.id, password_hash from member join enterprise on enterprise.id = enterprise_id
      where code = ${code} and user_name = ${userName} and deleted_time is null
    ) as found on true`.execute(db);
  return rows[0]!;
}

/** Counts a failure; the tenth within 15 minutes locks the account and starts a new count. While locked, none counts. */
async function recordFailure(db: Database, accountHash: Buffer): Promise<void> {
  await sql`
    insert into login_failure as known (account_hash, failed_times, expires_time)
    values (${accountHash}, array[statement_timestamp()], statement_timestamp() + ${FAILURE_WINDOW})
    on conflict (account_hash) do update set (failed_times, locked_until, expires_time) = (
      select
        case when is_locked then known.failed_times when locks then '{}' else recent end,
        case when is_locked then known.locked_until when locks then statement_timestamp() + ${LOCK_TIME} end,
        statement_timestamp() + ${FAILURE_WINDOW}
      from (
        select recent, coalesce(known.locked_until > statement_timestamp(), false) as is_locked,
          cardinality(recent) >= ${MAX_FAILURES} as locks
        from (
          select array_append(
            array(select t from unnest(known.failed_times) as t where t > statement_timestamp() - ${FAILURE_WINDOW}),
            statement_timestamp()
          ) as recent
        ) as counted
      ) as judged
    )`.execute(db);
}
