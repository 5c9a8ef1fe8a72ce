import { type Channels, Nonce, Refusal, type Scope } from '@lockstep/contract';
import { type Column, type Database, Group, rowsOf } from '@lockstep/platform';
import { type RawBuilder, sql } from 'kysely';
import { hashSecret } from './secrets.ts';

/** Who makes a call. */
export interface Caller {
  applicationId: string;
  appKey: string;
  channels: Channels;
}

/** An administrator of an enterprise, for whom an application calls. */
export interface Administrator extends Caller {
  memberId: string;
  enterpriseId: string;
}

interface Attempt {
  tokenHash: Buffer;
  scope: Scope;
  /** Absent where the call's nonce is missing or malformed: then nothing is used up. */
  nonce: string | undefined;
}

interface UserAttempt extends Attempt {
  clientTokenHash: Buffer;
  userTokenHash: Buffer;
}

interface Verdict {
  ordinal: number;
  application_id: string;
  app_key: string;
  channels: string[] | null;
  approved: boolean;
  in_scope: boolean;
  nonce_fresh: boolean;
}

interface UserVerdict extends Verdict {
  /** Of the clientToken; null where it is none. */
  client_application_id: string | null;
  client_in_scope: boolean | null;
  /** Of the userToken; null where it is none of this application's, or not for this scope. */
  member_id: string | null;
  enterprise_id: string | null;
  is_administrator: boolean | null;
}

/** The credentials of a call as they came. */
export interface CallCredentials {
  authorization: string | undefined;
  nonce: unknown;
}

export interface UserCallCredentials extends CallCredentials {
  clientToken: string | undefined;
  userToken: string | undefined;
}

const MAX_ATTEMPTS_PER_GROUP = 100;

/** Verifies calls (decisions 2 and 3): tokens, scope, approval and nonce in one round trip, shared by what waits. */
export class CallVerifier {
  readonly #attempts: Group<Attempt, Verdict | undefined>;
  readonly #userAttempts: Group<UserAttempt, UserVerdict | undefined>;

  constructor(db: Database) {
    const bounds = { maxRunning: 2, maxInputs: MAX_ATTEMPTS_PER_GROUP };
    const keyOf = ({ nonce, tokenHash }: Attempt) => nonce ?? tokenHash.toString('base64');
    this.#attempts = new Group({ ...bounds, keyOf, run: (attempts: Attempt[]) => verify(db, attempts) });
    this.#userAttempts = new Group({ ...bounds, keyOf, run: (attempts: UserAttempt[]) => verifyUsers(db, attempts) });
  }

  /**
   * Answers which application calls. Throws a Refusal: token_missing, token_invalid, application_not_approved,
   * scope_missing, and for a caller who is who they say nonce_missing, nonce_malformed, nonce_replayed.
   */
  async verify(call: CallCredentials & { scope: Scope }): Promise<Caller> {
    const nonce = Nonce.safeParse(call.nonce).data;
    const attempt = { tokenHash: hashSecret(bearerOf(call)), scope: call.scope, nonce };
    const verdict = await this.#attempts.run(attempt);
    checkApplication(verdict, call.scope);
    checkNonce(verdict, call.nonce, nonce);
    const { application_id: applicationId, app_key: appKey, channels } = verdict;
    return { applicationId, appKey, channels };
  }

  /**
   * Answers which administrator calls the member center. Throws a Refusal: what `verify` throws, client_token_missing,
   * client_token_invalid, client_token_mismatch, user_token_missing, user_token_invalid, not_administrator.
   */
  async verifyAdministrator(call: UserCallCredentials): Promise<Administrator> {
    const scope = 'auth_me';
    const nonce = Nonce.safeParse(call.nonce).data;
    const verdict = await this.#userAttempts.run({
      tokenHash: hashSecret(bearerOf(call)),
      scope,
      nonce,
      clientTokenHash: hashSecret(call.clientToken ?? ''),
      userTokenHash: hashSecret(call.userToken ?? ''),
    });
    checkApplication(verdict, scope);
    if (!call.clientToken) throw new Refusal('client_token_missing');
    if (verdict.client_application_id === null) throw new Refusal('client_token_invalid');
    if (verdict.client_application_id !== verdict.application_id) throw new Refusal('client_token_mismatch');
    if (verdict.client_in_scope !== true) throw new Refusal('scope_missing', scope);
    if (!call.userToken) throw new Refusal('user_token_missing');
    const { member_id: memberId, enterprise_id: enterpriseId } = verdict;
    if (memberId === null || enterpriseId === null) throw new Refusal('user_token_invalid');
    checkNonce(verdict, call.nonce, nonce);
    if (verdict.is_administrator !== true) throw new Refusal('not_administrator', enterpriseId);
    return {
      ...{ applicationId: verdict.application_id, appKey: verdict.app_key, channels: verdict.channels },
      ...{ memberId, enterpriseId },
    };
  }
}

function bearerOf({ authorization = '' }: CallCredentials): string {
  const token = /^Bearer +([A-Za-z0-9._~+/=-]+) *$/i.exec(authorization)?.[1];
  if (token === undefined) throw new Refusal('token_missing');
  return token;
}

function checkApplication(verdict: Verdict | undefined, scope: Scope): asserts verdict is Verdict {
  if (verdict === undefined) throw new Refusal('token_invalid');
  if (!verdict.approved) throw new Refusal('application_not_approved');
  if (!verdict.in_scope) throw new Refusal('scope_missing', scope);
}

/** `nonce` is what was sent, where that is well-formed. */
function checkNonce(verdict: Verdict, sent: unknown, nonce: string | undefined): void {
  if (sent === undefined || sent === '') throw new Refusal('nonce_missing');
  if (nonce === undefined) throw new Refusal('nonce_malformed');
  if (!verdict.nonce_fresh) throw new Refusal('nonce_replayed');
}

/** The calls of applications, of which those with a known token are left. */
function verify(db: Database, attempts: Attempt[]): Promise<(Verdict | undefined)[]> {
  const known = sql`
    select *, approved and in_scope as passes
    from (
      select ordinal, nonce, application_id, app_key, channels, status = 'approved' as approved, scope = any (t.scopes) as in_scope
      from ${callsOf(attempts)} as call (ordinal, token_hash, scope, nonce)
      join access_token t using (token_hash)
      join application on application.id = application_id
      where expires_time > now() and t.member_id is null
    ) as found`;
  return judge(db, attempts, known);
}

/** The calls of users, with what their three tokens are. */
function verifyUsers(db: Database, attempts: UserAttempt[]): Promise<(UserVerdict | undefined)[]> {
  const calls = callsOf(attempts, [
    ['client_token_hash', 'bytea', attempts.map((attempt) => attempt.clientTokenHash)],
    ['user_token_hash', 'bytea', attempts.map((attempt) => attempt.userTokenHash)],
  ]);
  const known = sql`
    select *, approved and in_scope and client_application_id = application_id and client_in_scope
      and member_id is not null as passes
    from (
      select ordinal, nonce, t.application_id, app_key, channels, status = 'approved' as approved,
        scope = any (t.scopes) as in_scope, client.application_id as client_application_id,
        scope = any (client.scopes) as client_in_scope, member.id as member_id, enterprise_id, is_administrator
      from ${calls} as call (ordinal, token_hash, scope, nonce, client_token_hash, user_token_hash)
      join access_token t on t.token_hash = call.token_hash and t.member_id is null and t.expires_time > now()
      join application on application.id = t.application_id
      left join access_token client on client.token_hash = client_token_hash and client.member_id is null
        and client.expires_time > now()
      left join access_token u on u.token_hash = user_token_hash and u.application_id = t.application_id
        and u.expires_time > now() and scope = any (u.scopes)
      left join member on member.id = u.member_id and deleted_time is null
    ) as found`;
  return judge(db, attempts, known);
}

function callsOf(attempts: Attempt[], more: Column[] = []): RawBuilder<unknown> {
  return rowsOf([
    ['ordinal', 'int', attempts.map((_, index) => index)],
    ['token_hash', 'bytea', attempts.map((attempt) => attempt.tokenHash)],
    ['scope', 'text', attempts.map((attempt) => attempt.scope)],
    ['nonce', 'text', attempts.map((attempt) => attempt.nonce ?? null)],
    ...more,
  ]);
}

/**
 * One statement: find the tokens, and use up the nonces of those that pass. A nonce older than ten minutes is free
 * again. The commit does not wait for the disk: were PostgreSQL itself to crash, the last second's nonces could be
 * used once more, and the idempotency of O5 still stands.
 */
async function judge<Row extends Verdict>(
  db: Database,
  attempts: Attempt[],
  known: RawBuilder<unknown>,
): Promise<(Row | undefined)[]> {
  const { rows } = await sql<Row>`
    with known as (${known}), fresh as (
      insert into nonce (application_id, nonce, used_time)
      select application_id, nonce, now() from known
      where passes and nonce is not null
      order by application_id, nonce
      on conflict (application_id, nonce) do update set used_time = excluded.used_time
        where nonce.used_time <= now() - interval '10 minutes'
      returning application_id, nonce
    )
    select known.*, fresh.nonce is not null as nonce_fresh,
      (select set_config('synchronous_commit', 'off', true)) as commits_without_waiting
    from known left join fresh using (application_id, nonce)`.execute(db);
  const verdicts: (Row | undefined)[] = attempts.map(() => undefined);
  for (const row of rows) verdicts[row.ordinal] = row;
  return verdicts;
}
