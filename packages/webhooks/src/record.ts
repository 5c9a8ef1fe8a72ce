import { type Database, inTransaction } from '@lockstep/platform';
import { sql } from 'kysely';
import type { Claim } from './claim.ts';
import { type DisabledCause, disableWebhook } from './disable.ts';
import { MAX_ATTEMPTS, pauseAfter } from './retry-schedule.ts';
import type { SendOutcome } from './sender.ts';
import { PROMPT_MS } from './turns.ts';

const GONE = 410;
/** How long recording waits for the webhook's row, which operations hold for milliseconds. The claim ends later. */
const MAX_LOCK_WAIT_MS = 1_000;

/** What an attempt leads to. */
interface Consequence {
  isDelivered: boolean;
  /** When the next attempt is made; null when there is none. */
  pauseMs: number | null;
  disabledCause: DisabledCause | null;
}

/** Decides what follows an attempt (rules 6.8). A test has one attempt, whose failure proves nothing of the events. */
export function decideConsequence(
  { status, fault }: Pick<SendOutcome, 'status' | 'fault'>,
  { attempts, isTest }: { attempts: number; isTest: boolean },
  random: number,
): Consequence {
  if (fault === null) return { isDelivered: true, pauseMs: null, disabledCause: null };
  if (status === GONE) return { isDelivered: false, pauseMs: null, disabledCause: 'endpoint_gone' };
  if (isTest) return { isDelivered: false, pauseMs: null, disabledCause: null };
  const pauseMs = pauseAfter(attempts, random);
  return { isDelivered: false, pauseMs, disabledCause: pauseMs === null ? 'attempts_exhausted' : null };
}

/** What came of recording: whether the claim still held, and why the webhook was disabled if it was. */
interface Recorded {
  isRecorded: boolean;
  disabledCause: DisabledCause | null;
}

/**
 * Records an attempt and what follows from it, in one transaction. If somebody else has claimed the delivery meanwhile,
 * because this process took too long, nothing is recorded.
 *
 * Throws PostgreSQL's lock_not_available when somebody holds the webhook's row for a second.
 */
export async function recordAttempt(db: Database, claim: Claim, outcome: SendOutcome): Promise<Recorded> {
  const attempts = { attempts: claim.attempts + 1, isTest: claim.event === null };
  const consequence = decideConsequence(outcome, attempts, Math.random());
  if (consequence.disabledCause === null) {
    return { isRecorded: await insertAttempt(db, claim, outcome, consequence), disabledCause: null };
  }
  const cause = consequence.disabledCause;
  return await inTransaction(db, async (trx) => {
    const isRecorded = await insertAttempt(trx, claim, outcome, consequence);
    const isDisabled = isRecorded && (await disableWebhook(trx, claim.webhookId, cause));
    return { isRecorded, disabledCause: isDisabled ? cause : null };
  });
}

/**
 * Locks the webhook first, as everybody does who changes deliveries. What was ended meanwhile gets no further attempt.
 *
 * An endpoint that is well again has what failed meanwhile at once, not after pauses of up to a day, behind which new
 * events would wait as well. That is once for each message: one that this endpoint never takes would use up its attempts
 * between others that it takes. The last attempt keeps its time, because its failure disables the webhook.
 */
async function insertAttempt(
  db: Database,
  { deliveryId, claims, webhookId }: Claim,
  { status, fault, startedTime, durationMs }: SendOutcome,
  { isDelivered, pauseMs }: Consequence,
): Promise<boolean> {
  const isPrompt = isDelivered && durationMs < PROMPT_MS;
  const { rows } = await sql`
    with patience as materialized (
      -- Until the transaction ends.
      select set_config('lock_timeout', ${`${MAX_LOCK_WAIT_MS}ms`}, true)
    ), hook as materialized (
      select id, failing_since from webhook, patience where id = ${webhookId} for no key update of webhook
    ), ended as (
      update webhook_delivery d
      set attempts = attempts + 1, claimed_until = null,
        state = case when ${isDelivered} then 'delivered' when ${pauseMs === null} then 'failed' else d.state end,
        due_time = case when ${pauseMs !== null} and d.state = 'pending'
          then statement_timestamp() + make_interval(secs => ${pauseMs ?? 0}::double precision / 1000) end
      from hook
      where d.webhook_id = hook.id and d.id = ${deliveryId} and d.claims = ${claims} and d.claimed_until is not null
      returning d.id, d.attempts,
        ${startedTime}::timestamptz as started_time
    ), tried as (
      update webhook w
      set last_attempt_prompt = ${isPrompt},
        failing_since = case when not ${isDelivered} then least(w.failing_since, ended.started_time) end
      from ended
      where w.id = ${webhookId} and (w.last_attempt_prompt is distinct from ${isPrompt}
        or (w.failing_since is null) <> ${isDelivered} or w.failing_since > ended.started_time)
    ), drawn_forward as (
      update webhook_delivery d set due_time = statement_timestamp()
      from hook, ended
      where ${isDelivered} and d.webhook_id = hook.id and d.id <> ended.id and d.state = 'pending'
        and d.due_time > statement_timestamp() and d.attempts < ${MAX_ATTEMPTS - 1}
        and exists (select from webhook_attempt a
          where a.delivery_id = d.id and a.number = 1 and a.time >= hook.failing_since)
    )
    insert into webhook_attempt (delivery_id, number, time, status, duration_ms, fault)
    select id, attempts, started_time, ${status}::smallint, ${durationMs}::integer, ${fault}::text
    from ended
    returning delivery_id`.execute(db);
  return rows.length > 0;
}

/** Gives deliveries back that were claimed and not sent to their end: they are due as before. */
export async function giveBack(db: Database, claims: readonly Claim[]): Promise<void> {
  if (claims.length === 0) return;
  await sql`
    update webhook_delivery d set claimed_until = null
    from unnest(${claims.map(({ deliveryId }) => deliveryId)}::bigint[], ${claims.map((claim) => claim.claims)}::integer[])
      as given (id, claims)
    where d.id = given.id and d.claims = given.claims and d.claimed_until is not null`.execute(db);
}
