import { nonce as nonceSchema, Refusal, type Scope } from '@lockstep/contract';
import { type Database, Group } from '@lockstep/platform';
import { sql } from 'kysely';
import { hashSecret } from './secrets.ts';

/** Who makes a call. */
export interface Caller {
  applicationId: string;
  appKey: string;
}

interface Attempt {
  tokenHash: Buffer;
  scope: Scope;
  /** Absent where the call's nonce is missing or malformed: then nothing is used up. */
  nonce: string | undefined;
}

interface Verdict {
  ordinal: number;
  application_id: string;
  app_key: string;
  approved: boolean;
  in_scope: boolean;
  nonce_fresh: boolean;
}

const MAX_ATTEMPTS_PER_GROUP = 100;

/** Verifies calls (decisions 2 and 3): token, scope, approval and nonce in one round trip, shared by what waits. */
export class CallVerifier {
  readonly #attempts: Group<Attempt, Verdict | undefined>;

  constructor(db: Database) {
    this.#attempts = new Group({
      run: (attempts) => verify(db, attempts),
      maxRunning: 2,
      maxInputs: MAX_ATTEMPTS_PER_GROUP,
      keyOf: ({ nonce, tokenHash }) => nonce ?? tokenHash.toString('base64'),
    });
  }

  /**
   * Answers who calls. Throws a Refusal: token_missing, token_invalid, application_not_approved, scope_missing, and
   * for a caller who is who he says nonce_missing, nonce_malformed, nonce_replayed.
   */
  async verify(call: { authorization: string | undefined; scope: Scope; nonce: unknown }): Promise<Caller> {
    const token = /^Bearer +([A-Za-z0-9._~+/=-]+) *$/i.exec(call.authorization ?? '')?.[1];
    if (token === undefined) throw new Refusal('token_missing');
    const nonce = nonceSchema.safeParse(call.nonce);
    const verdict = await this.#attempts.run({ tokenHash: hashSecret(token), scope: call.scope, nonce: nonce.data });
    if (verdict === undefined) throw new Refusal('token_invalid');
    if (!verdict.approved) throw new Refusal('application_not_approved');
    if (!verdict.in_scope) throw new Refusal('scope_missing', call.scope);
    if (call.nonce === undefined || call.nonce === '') throw new Refusal('nonce_missing');
    if (!nonce.success) throw new Refusal('nonce_malformed');
    if (!verdict.nonce_fresh) throw new Refusal('nonce_replayed');
    return { applicationId: verdict.application_id, appKey: verdict.app_key };
  }
}

/**
 * One statement: find the tokens, and use up the nonces of those that pass. A nonce older than ten minutes is free
 * again. The commit does not wait for the disk: were PostgreSQL itself to crash, the last second's nonces could be
 * used once more, and the idempotency of O5 still stands.
 */
async function verify(db: Database, attempts: Attempt[]): Promise<(Verdict | undefined)[]> {
  const { rows } = await sql<Verdict>`
    with call as (
      select * from unnest(
        ${attempts.map((_, index) => index)}::int[],
        ${attempts.map((attempt) => attempt.tokenHash)}::bytea[],
        ${attempts.map((attempt) => attempt.scope)}::text[],
        ${attempts.map((attempt) => attempt.nonce ?? null)}::text[]
      ) as call (ordinal, token_hash, scope, nonce)
    ), known as (
      select ordinal, nonce, application_id, app_key, status = 'approved' as approved, scope = any (t.scopes) as in_scope
      from call
      join access_token t using (token_hash)
      join application on application.id = application_id
      where expires_time > now()
    ), fresh as (
      insert into nonce (application_id, nonce, used_time)
      select application_id, nonce, now() from known
      where approved and in_scope and nonce is not null
      order by application_id, nonce
      on conflict (application_id, nonce) do update set used_time = excluded.used_time
        where nonce.used_time <= now() - interval '10 minutes'
      returning application_id, nonce
    )
    select ordinal, application_id, app_key, approved, in_scope, fresh.nonce is not null as nonce_fresh,
      (select set_config('synchronous_commit', 'off', true)) as commits_without_waiting
    from known left join fresh using (application_id, nonce)`.execute(db);
  const verdicts: (Verdict | undefined)[] = attempts.map(() => undefined);
  for (const row of rows) verdicts[row.ordinal] = row;
  return verdicts;
}
