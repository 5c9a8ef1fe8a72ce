import type { ApplicationId, MemberId } from '@lockstep/contract';
import type { Database, Trx } from '@lockstep/platform';
import { type Attempt, checkPassword, forgetFailures, isLocked } from './lockout.ts';
import type { PasswordHasher } from './passwords.ts';

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

/** The dependencies of a login. */
export interface LoginTools {
  db: Database;
  passwords: PasswordHasher;
  /** Aborts when the caller no longer waits for the login. */
  signal: AbortSignal;
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
  { db, passwords, signal }: LoginTools,
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
  const member = await trx
    .selectFrom('member')
    .select('id')
    .where('id', '=', loggedIn.memberId)
    .where('password_hash', '=', loggedIn.passwordHash)
    .where('deleted_time', 'is', null)
    .forShare()
    .executeTakeFirst();
  return member !== undefined && !(await isLocked(trx, attemptOf(applicationId, account)));
}

/** Deletes an employee's tokens and counted failures, when the password changes or the employee is deleted. */
export async function endLogins(trx: Trx, member: { id: MemberId; account: string }): Promise<void> {
  await trx.deleteFrom('access_token').where('member_id', '=', member.id).execute();
  await forgetFailures(trx, { kind: 'user', name: member.account });
}

const ACCOUNT = /^([A-Za-z0-9]{1,62})@([a-z0-9]{6,10})$/;

async function findAccount(db: Database, account: string): Promise<LoggedIn | undefined> {
  // Even a malformed account name is looked up, so that the answer takes equally long.
  const [, userName = '', code = ''] = ACCOUNT.exec(account) ?? [];
  return await db
    .selectFrom('member')
    .innerJoin('enterprise', 'enterprise.id', 'enterprise_id')
    .select(['member.id as memberId', 'password_hash as passwordHash'])
    .where('code', '=', code)
    .where('user_name', '=', userName)
    .where('deleted_time', 'is', null)
    .executeTakeFirst();
}
