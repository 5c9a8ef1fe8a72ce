import type { ApplicationId, EnterpriseId, MemberId, Scope } from '@lockstep/contract';
import { buildRows, type Column, type Database, named } from '@lockstep/platform';
import { type RawBuilder, sql } from 'kysely';

/** A call to verify: its token, the scope that it needs, and its nonce. */
export interface Attempt {
  tokenHash: Buffer;
  scope: Scope;
  /** Undefined if the call's nonce is missing or malformed; then none is used up. */
  nonce: string | undefined;
}

/** A call of the member center to verify, with its two other tokens. */
export interface UserAttempt extends Attempt {
  clientTokenHash: Buffer;
  userTokenHash: Buffer;
}

/** What PostgreSQL knows about an attempt whose token is good. */
export interface Verdict {
  ordinal: number;
  application_id: ApplicationId;
  app_key: string;
  channels: string[] | null;
  approved: boolean;
  in_scope: boolean;
  nonce_fresh: boolean;
}

export interface UserVerdict extends Verdict {
  /** The clientToken's application; null if the token is not valid. */
  client_application_id: ApplicationId | null;
  client_in_scope: boolean | null;
  /** The userToken's user; null if the token is not valid for this application and scope. */
  member_id: MemberId | null;
  enterprise_id: EnterpriseId | null;
  is_administrator: boolean | null;
}

/** Judges calls of applications, in their order; undefined if the token is not good. Uses up the nonces of those that pass. */
export function judgeAttempts(db: Database, attempts: Attempt[]): Promise<(Verdict | undefined)[]> {
  const known = sql`
    select *, approved and in_scope as passes
    from (
      select ordinal, nonce, t.application_id, app_key, channels, status = 'approved' as approved, scope = any (t.scopes) as in_scope
      from ${buildAttemptRows(attempts)} as call (ordinal, token_hash, scope, nonce)
      cross join lateral ${findToken('call.token_hash')} as t
      join application on application.id = t.application_id
      where expires_time > now() and t.member_id is null
    ) as found`;
  return judge(db, 'judge_attempts', attempts, known);
}

/** Judges calls of the member center in the same way, with their three tokens. */
export function judgeUserAttempts(db: Database, attempts: UserAttempt[]): Promise<(UserVerdict | undefined)[]> {
  const calls = buildAttemptRows(attempts, [
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
      cross join lateral ${findToken('call.token_hash')} as t
      join application on application.id = t.application_id
      left join lateral ${findToken('client_token_hash')} as client on client.member_id is null
        and client.expires_time > now()
      left join lateral ${findToken('user_token_hash')} as u on u.application_id = t.application_id
        and u.expires_time > now() and scope = any (u.scopes)
      left join lateral (
        select * from member where id between u.member_id and u.member_id order by id limit 1
      ) as member on deleted_time is null
      where t.member_id is null and t.expires_time > now()
    ) as found`;
  return judge(db, 'judge_user_attempts', attempts, known);
}

/**
 * For a FROM clause: the token of a hash. The plan is kept, perhaps from when the tables were empty. So it is written such
 * that no other index can be chosen than that of the key: another one might lead through all tokens that are live.
 */
function findToken(hash: string): RawBuilder<unknown> {
  const sent = sql.raw(hash);
  return sql`(select * from access_token where token_hash between ${sent} and ${sent} order by token_hash limit 1)`;
}

function buildAttemptRows(attempts: Attempt[], more: Column[] = []): RawBuilder<unknown> {
  return buildRows([
    ['ordinal', 'int', attempts.map((_, index) => index)],
    ['token_hash', 'bytea', attempts.map((attempt) => attempt.tokenHash)],
    ['scope', 'text', attempts.map((attempt) => attempt.scope)],
    ['nonce', 'text', attempts.map((attempt) => attempt.nonce ?? null)],
    ...more,
  ]);
}

/**
 * Finds the tokens and uses up the nonces of the calls that pass, with one statement. A nonce older than ten minutes is
 * free again. The commit does not wait for the disk: if PostgreSQL itself crashed, the last second's nonces could be used
 * once more, and the idempotency of O5 would still hold.
 */
async function judge<Row extends Verdict>(
  db: Database,
  name: string,
  attempts: Attempt[],
  known: RawBuilder<unknown>,
): Promise<(Row | undefined)[]> {
  const statement = sql<Row>`
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
  const { rows } = await named(name, statement).execute(db);
  const verdicts: (Row | undefined)[] = attempts.map(() => undefined);
  for (const row of rows) verdicts[row.ordinal] = row;
  return verdicts;
}
