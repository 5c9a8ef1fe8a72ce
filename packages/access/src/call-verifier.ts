import {
  type ApplicationId,
  type Channels,
  type EnterpriseId,
  type MemberId,
  Nonce,
  Refusal,
  type Scope,
} from '@lockstep/contract';
import { type Database, Group, run } from '@lockstep/platform';
import { hashSecret } from './secrets.ts';

/** The application that makes a call. */
export interface Caller {
  applicationId: ApplicationId;
  appKey: string;
  /** The channels that it is bound to; null if it may name any. */
  channels: Channels;
}

/** An administrator of an enterprise, and the application that makes the call. */
interface Administrator extends Caller {
  memberId: MemberId;
  enterpriseId: EnterpriseId;
}

/** The credentials of a call, as the client sent them. */
interface CallCredentials {
  authorization: string | undefined;
  nonce: unknown;
  /** Gets the application as soon as its token is found valid, even if the call is then refused. */
  onKnown: (application: Pick<Caller, 'applicationId' | 'appKey'>) => void;
}

interface UserCallCredentials extends CallCredentials {
  clientToken: string | undefined;
  userToken: string | undefined;
}

const MAX_ATTEMPTS_PER_GROUP = 100;

/**
 * Verifies tokens, scope, approval and nonce (rules 2 and 3) in one round trip, which concurrent calls of the order
 * module share.
 */
export class CallVerifier {
  readonly #db: Database;
  readonly #attempts: Group<Attempt, Verdict | undefined>;

  constructor(db: Database) {
    this.#db = db;
    this.#attempts = new Group({
      maxRunning: 2,
      maxInputs: MAX_ATTEMPTS_PER_GROUP,
      keyOf: ({ nonce, tokenHash }) => nonce ?? tokenHash.toString('base64'),
      run: (attempts) => judgeAttempts(db, attempts),
    });
  }

  /**
   * Returns the application that makes the call. Throws a Refusal: token_missing, token_invalid,
   * application_not_approved, scope_missing; then, once the caller is verified, nonce_missing, nonce_malformed,
   * nonce_replayed.
   */
  async verify(call: CallCredentials & { scope: Scope }): Promise<Caller> {
    const nonce = Nonce.safeParse(call.nonce).data;
    const attempt = { tokenHash: hashSecret(parseBearer(call)), scope: call.scope, nonce };
    const verdict = await this.#attempts.run(attempt);
    checkApplication(verdict, call.scope, call);
    checkNonce(verdict, call.nonce, nonce);
    const { application_id: applicationId, app_key: appKey, channels } = verdict;
    return { applicationId, appKey, channels };
  }

  /**
   * Returns the administrator that makes a member center call. Throws a Refusal: those of `verify`,
   * client_token_missing, client_token_invalid, client_token_mismatch, user_token_missing, user_token_invalid,
   * not_administrator.
   */
  async verifyAdministrator(call: UserCallCredentials): Promise<Administrator> {
    const scope = 'auth_me';
    const nonce = Nonce.safeParse(call.nonce).data;
    const verdict = await judgeUserAttempt(this.#db, {
      tokenHash: hashSecret(parseBearer(call)),
      scope,
      nonce,
      clientTokenHash: hashSecret(call.clientToken ?? ''),
      userTokenHash: hashSecret(call.userToken ?? ''),
    });
    checkApplication(verdict, scope, call);
    if (!call.clientToken) throw new Refusal('client_token_missing');
    if (verdict.client_application_id === null) throw new Refusal('client_token_invalid');
    if (verdict.client_application_id !== verdict.application_id) throw new Refusal('client_token_mismatch');
    if (verdict.client_in_scope !== true) throw new Refusal('scope_missing', scope);
    if (!call.userToken) throw new Refusal('user_token_missing');
    const { member_id: memberId, enterprise_id: enterpriseId } = verdict;
    if (memberId === null || enterpriseId === null) throw new Refusal('user_token_invalid');
    checkNonce(verdict, call.nonce, nonce);
    if (verdict.is_administrator !== true) throw new Refusal('not_administrator', enterpriseId);
    const { application_id: applicationId, app_key: appKey, channels } = verdict;
    return { applicationId, appKey, channels, memberId, enterpriseId };
  }
}

function parseBearer({ authorization = '' }: CallCredentials): string {
  const token = /^Bearer +([A-Za-z0-9._~+/=-]+) *$/i.exec(authorization)?.[1];
  if (token === undefined) throw new Refusal('token_missing');
  return token;
}

function checkApplication(
  verdict: Verdict | undefined,
  scope: Scope,
  { onKnown }: CallCredentials,
): asserts verdict is Verdict {
  if (verdict === undefined) throw new Refusal('token_invalid');
  onKnown({ applicationId: verdict.application_id, appKey: verdict.app_key });
  if (!verdict.approved) throw new Refusal('application_not_approved');
  if (!verdict.in_scope) throw new Refusal('scope_missing', scope);
}

/** `nonce` is `sent`, or undefined if that is malformed. */
function checkNonce(verdict: Verdict, sent: unknown, nonce: string | undefined): void {
  if (sent === undefined || sent === '') throw new Refusal('nonce_missing');
  if (nonce === undefined) throw new Refusal('nonce_malformed');
  if (!verdict.nonce_fresh) throw new Refusal('nonce_replayed');
}

/** A call to verify: its token, the scope it needs, and its nonce. */
interface Attempt {
  tokenHash: Buffer;
  scope: Scope;
  /** Undefined if the nonce is missing or malformed; then the call uses up none. */
  nonce: string | undefined;
}

/** A member center call to verify, with its two other tokens. */
interface UserAttempt extends Attempt {
  clientTokenHash: Buffer;
  userTokenHash: Buffer;
}

/** What PostgreSQL knows about an attempt whose access token is valid. */
interface Verdict {
  application_id: ApplicationId;
  app_key: string;
  channels: string[] | null;
  approved: boolean;
  in_scope: boolean;
  nonce_fresh: boolean;
}

interface UserVerdict extends Verdict {
  /** The application of the clientToken; null if that token is not valid. */
  client_application_id: ApplicationId | null;
  client_in_scope: boolean | null;
  /** The employee of the userToken; null if that token is not valid for this application and scope. */
  member_id: MemberId | null;
  enterprise_id: EnterpriseId | null;
  is_administrator: boolean | null;
}

/**
 * Returns a verdict for each call, in order; undefined if its access token is not valid. Uses up the nonces of calls
 * that pass.
 */
async function judgeAttempts(db: Database, attempts: readonly Attempt[]): Promise<(Verdict | undefined)[]> {
  const values = [
    attempts.map((_, index) => index),
    attempts.map(({ tokenHash }) => tokenHash),
    attempts.map(({ scope }) => scope),
    attempts.map(({ nonce }) => nonce ?? null),
  ];
  const rows = await run<Verdict & { ordinal: number }>(db, { name: 'judge_attempts', text: JUDGE_ATTEMPTS, values });
  const verdicts: (Verdict | undefined)[] = attempts.map(() => undefined);
  for (const { ordinal, ...verdict } of rows) verdicts[ordinal] = verdict;
  return verdicts;
}

/** Does the same for a member center call, with its three tokens. */
async function judgeUserAttempt(
  db: Database,
  { tokenHash, scope, nonce, clientTokenHash, userTokenHash }: UserAttempt,
): Promise<UserVerdict | undefined> {
  const values = [tokenHash, scope, nonce ?? null, clientTokenHash, userTokenHash];
  const [verdict] = await run<UserVerdict>(db, { name: 'judge_user_attempt', text: JUDGE_USER_ATTEMPT, values });
  return verdict;
}

/**
 * Whether a token has not been revoked. A token of a suspended application passes, so that the refusal can name the
 * suspension.
 */
const isOfGeneration = (token: string) =>
  `(${token}.generation = application.token_generation or application.status <> 'approved')`;

/** For a FROM clause: the token with this hash. LIMIT makes PostgreSQL look up the key once per token. */
const tokenOf = (hash: string) => `(select * from access_token where token_hash = ${hash} limit 1)`;

const JUDGE_ATTEMPTS = judgingText(`
  select ordinal, nonce, t.application_id, app_key, channels, status = 'approved' as approved,
    scope = any (t.scopes) as in_scope, status = 'approved' and scope = any (t.scopes) as passes
  from unnest((select $1::int[]), (select $2::bytea[]), (select $3::text[]), (select $4::text[])) as call (ordinal, token_hash, scope, nonce)
  cross join lateral ${tokenOf('call.token_hash')} as t
  join application on application.id = t.application_id
  where expires_time > now() and t.member_id is null and ${isOfGeneration('t')}`);

const JUDGE_USER_ATTEMPT = judgingText(`
  select *, approved and in_scope and client_application_id = application_id and client_in_scope
    and member_id is not null as passes
  from (
    select nonce, t.application_id, app_key, channels, status = 'approved' as approved,
      scope = any (t.scopes) as in_scope, client.application_id as client_application_id,
      scope = any (client.scopes) as client_in_scope, member.id as member_id, enterprise_id, is_administrator
    from (select $1::bytea, $2::text, $3::text, $4::bytea, $5::bytea)
      as call (token_hash, scope, nonce, client_token_hash, user_token_hash)
    cross join lateral ${tokenOf('call.token_hash')} as t
    join application on application.id = t.application_id
    left join lateral ${tokenOf('client_token_hash')} as client on client.member_id is null
      and client.expires_time > now()
      and (client.application_id <> t.application_id or ${isOfGeneration('client')})
    left join lateral ${tokenOf('user_token_hash')} as u on u.application_id = t.application_id
      and u.expires_time > now() and scope = any (u.scopes) and ${isOfGeneration('u')}
    left join lateral (select * from member where id = u.member_id limit 1) as member on deleted_time is null
    where t.member_id is null and t.expires_time > now() and ${isOfGeneration('t')}
  ) as found`);

/**
 * Returns a statement that uses up the nonces of the calls that pass. A nonce older than ten minutes can be used again.
 * The commit does not wait for the disk: if PostgreSQL crashes, the nonces of the last second could be replayed, but O5
 * stays idempotent.
 */
function judgingText(known: string): string {
  return `
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
    from known left join fresh using (application_id, nonce)`;
}
