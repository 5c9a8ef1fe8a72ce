import type { WebhookId } from '@lockstep/contract';
import { type Database, inMs, inTransaction, type Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { type DisabledCause, disableWebhook, tellOf } from '../managing/webhooks.ts';
import { MAX_ATTEMPTS, pauseAfter } from '../retry-schedule.ts';
import type { SendOutcome } from '../sending/sender.ts';
import type { Claim } from './claim.ts';
import { earlier, nextStanding, type Standing } from './standing.ts';

const GONE = 410;
/** How long a webhook fails before its application is told (rules 6.8). */
const TOLD_AFTER_MINUTES = 30;

interface Consequence {
  isDelivered: boolean;
  /** The pause before the next attempt; null if there is none. */
  pauseMs: number | null;
  disabledCause: DisabledCause | null;
}

/**
 * Decides what follows from an attempt (rules 6.8). A test has one attempt; its failure does not disable the webhook,
 * except for a 410.
 */
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

export interface Attempted {
  claim: Claim;
  outcome: SendOutcome;
}

/**
 * The result of recording an attempt: `late` if its claim has expired, `busy` if the webhook is locked and it must be
 * recorded again. `disabledCause`: why it disabled the webhook, if it did.
 */
export interface Recorded {
  state: 'recorded' | 'late' | 'busy';
  disabledCause: DisabledCause | null;
}

/**
 * Records attempts and their consequences in one transaction, in the order in which they finished. Skips an attempt
 * whose delivery another worker has claimed meanwhile. Does not wait for locked webhooks.
 */
export async function recordAttempts(db: Database, attempted: readonly Attempted[]): Promise<Recorded[]> {
  return await inTransaction(db, async (trx) => {
    // Locks webhooks before deliveries, like everything that changes deliveries.
    const { rows: webhooks } = await sql<LockedWebhook>`
      select id, url, at_once as "atOnce", last_attempt_prompt as "isPrompt", failing_since as "failingSince",
        ${inMs('statement_timestamp()')} as "nowMs"
      from webhook where id = any (${[...new Set(attempted.map(({ claim }) => claim.webhookId))]}::bigint[])
      order by id for no key update skip locked`.execute(trx);
    const locked = new Map(webhooks.map((webhook) => [webhook.id, webhook]));
    const decided = attempted.map((each) => {
      const webhook = locked.get(each.claim.webhookId);
      return webhook && decideEnding(each, webhook);
    });
    const recorded = await endAttempts(
      trx,
      decided.filter((ending) => ending !== undefined),
    );
    const byWebhook = Map.groupBy(recorded, ({ claim }) => claim.webhookId);
    const changes = webhooks.flatMap((webhook) => judge(webhook, byWebhook.get(webhook.id) ?? []));
    await changeStandings(trx, changes);
    for (const change of changes) await retryAtOnce(trx, change);
    const disabling = new Set<Ending>();
    for (const ending of recorded) {
      const cause = ending.consequence.disabledCause;
      if (cause !== null && (await disableWebhook(trx, ending.claim.webhookId, cause))) disabling.add(ending);
    }
    await tellOfFailing(trx, recorded);
    return decided.map((ending) => {
      if (ending === undefined) return { state: 'busy', disabledCause: null };
      const disabledCause = disabling.has(ending) ? ending.consequence.disabledCause : null;
      return { state: recorded.has(ending) ? 'recorded' : 'late', disabledCause };
    });
  });
}

type LockedWebhook = Standing & { id: WebhookId; url: string; nowMs: number };
type Ending = Attempted & { startedTime: Date; consequence: Consequence; isOfOldUrl: boolean };

/**
 * Decides what follows from an attempt. One at a URL that was replaced meanwhile says nothing about the webhook: if it
 * failed, the message goes to the new URL as soon as after a first attempt.
 */
function decideEnding({ claim, outcome }: Attempted, { url, nowMs }: LockedWebhook): Ending {
  const isOfOldUrl = claim.url !== url;
  // By the database's clock: the clocks of workers may differ.
  const startedTime = new Date(nowMs - (performance.now() - outcome.startedMs));
  const attempts = isOfOldUrl ? 1 : claim.attempts + 1;
  const judged = isOfOldUrl ? { ...outcome, status: null } : outcome;
  const consequence = decideConsequence(judged, { attempts, isTest: claim.isTest }, Math.random());
  return { claim, outcome, startedTime, isOfOldUrl, consequence };
}

/**
 * Records attempts whose claim is still valid, and returns them. Deliveries that were failed meanwhile get no further
 * attempt.
 */
async function endAttempts(trx: Trx, endings: readonly Ending[]): Promise<Set<Ending>> {
  if (endings.length === 0) return new Set();
  const { rows } = await sql<{ place: number }>`
    with attempt as (
      select * from unnest(
        ${endings.map(({ claim }) => claim.deliveryId)}::bigint[],
        ${endings.map(({ claim }) => claim.claims)}::integer[],
        ${endings.map(({ consequence }) => consequence.isDelivered)}::boolean[],
        ${endings.map(({ consequence }) => consequence.pauseMs)}::double precision[],
        ${endings.map(({ startedTime }) => startedTime)}::timestamptz[],
        ${endings.map(({ outcome }) => outcome.status)}::integer[],
        ${endings.map(({ outcome }) => outcome.durationMs)}::integer[],
        ${endings.map(({ outcome }) => outcome.fault)}::text[],
        ${endings.map(({ outcome }) => outcome.answer)}::text[]
      ) with ordinality as attempt (delivery_id, claims, is_delivered, pause_ms, started_time, status, duration_ms, fault, answer, place)
    ), ended as (
      update webhook_delivery d
      set attempts = d.attempts + 1, claimed_until = null,
        state = case when is_delivered then 'delivered' when pause_ms is null then 'failed' else d.state end,
        due_time = case when pause_ms is not null and d.state = 'pending'
          then statement_timestamp() + make_interval(secs => pause_ms / 1000) end
      from attempt
      where d.id = delivery_id and d.claims = attempt.claims and d.claimed_until is not null
      returning d.id, d.attempts, attempt.place
    ), inserted as (
      insert into webhook_attempt (delivery_id, number, time, status, duration_ms, fault, answer)
      select id, attempts, started_time, status, duration_ms, fault, answer from ended join attempt using (place)
    )
    select place::int from ended`.execute(trx);
  const places = new Set(rows.map(({ place }) => place - 1));
  return new Set(endings.filter((_, place) => places.has(place)));
}

interface Change extends LockedWebhook {
  /** Since when attempts had failed before one succeeded; null if none succeeded after failures. */
  wellAgainSince: Date | null;
  /** The deliveries that failed after that success. */
  failedSince: string[];
}

/** Returns how attempts, in order, change their webhook; nothing if it stays the same. */
function judge(webhook: LockedWebhook, endings: readonly Ending[]): Change[] {
  let standing: Standing = webhook;
  let wellAgainSince: Date | null = null;
  let failedSince: string[] = [];
  for (const { claim, outcome, startedTime, consequence, isOfOldUrl } of endings) {
    if (isOfOldUrl) continue;
    const { isDelivered } = consequence;
    if (isDelivered && standing.failingSince !== null) wellAgainSince = earlier(wellAgainSince, standing.failingSince);
    failedSince = isDelivered ? [] : [...failedSince, claim.deliveryId];
    standing = nextStanding(standing, { isDelivered, startedTime, durationMs: outcome.durationMs });
  }
  const isSame =
    standing.atOnce === webhook.atOnce &&
    standing.isPrompt === webhook.isPrompt &&
    standing.failingSince === webhook.failingSince;
  return isSame && wellAgainSince === null ? [] : [{ ...webhook, ...standing, wellAgainSince, failedSince }];
}

async function changeStandings(trx: Trx, changes: readonly Change[]): Promise<void> {
  if (changes.length === 0) return;
  await sql`
    update webhook w set at_once = change.at_once, last_attempt_prompt = is_prompt, failing_since = change.failing_since,
      failing_told = failing_told and is_same_series
    from unnest(
      ${changes.map(({ id }) => id)}::bigint[], ${changes.map(({ atOnce }) => atOnce)}::integer[],
      ${changes.map(({ isPrompt }) => isPrompt)}::boolean[],
      ${changes.map(({ failingSince }) => failingSince)}::timestamptz[],
      ${changes.map(({ wellAgainSince }) => wellAgainSince === null)}::boolean[]
    ) as change (id, at_once, is_prompt, failing_since, is_same_series)
    where w.id = change.id`.execute(trx);
}

/** Tells of active webhooks that have failed for long, once for each series of failures (rules 6.8). */
async function tellOfFailing(trx: Trx, recorded: ReadonlySet<Ending>): Promise<void> {
  const failed = [...recorded].filter(({ consequence }) => !consequence.isDelivered);
  if (failed.length === 0) return;
  const { rows } = await sql<{ id: WebhookId }>`
    update webhook set failing_told = true
    where id = any (${failed.map(({ claim }) => claim.webhookId)}::bigint[]) and not failing_told
      and failing_since <= statement_timestamp() - make_interval(mins => ${TOLD_AFTER_MINUTES})
      and disabled_time is null and deleted_time is null
    returning id`.execute(trx);
  if (rows.length > 0)
    await tellOf(
      trx,
      'webhook.failing',
      rows.map(({ id }) => id),
    );
}

/**
 * When an endpoint recovers, makes the deliveries that failed meanwhile due at once: their pauses of up to a day would
 * also delay new events. This happens once for each message, so that a message that the endpoint never accepts does not
 * use up its attempts. The last attempt keeps its time, because its failure disables the webhook.
 */
async function retryAtOnce(trx: Trx, { id, wellAgainSince, failedSince }: Change): Promise<void> {
  if (wellAgainSince === null) return;
  await sql`
    update webhook_delivery d set due_time = statement_timestamp()
    where d.webhook_id = ${id} and d.state = 'pending' and d.due_time > statement_timestamp()
      and d.attempts < ${MAX_ATTEMPTS - 1} and d.id <> all (${failedSince}::bigint[])
      and exists (select from webhook_attempt a
        where a.delivery_id = d.id and a.number = 1 and a.time >= ${wellAgainSince}::timestamptz)`.execute(trx);
}

/** Gives back claimed deliveries that were not sent completely: they become due again. */
export async function giveBack(db: Database, claims: readonly Claim[]): Promise<void> {
  if (claims.length === 0) return;
  await sql`
    update webhook_delivery d set claimed_until = null
    from unnest(${claims.map(({ deliveryId }) => deliveryId)}::bigint[], ${claims.map((claim) => claim.claims)}::integer[])
      as given (id, claims)
    where d.id = given.id and d.claims = given.claims and d.claimed_until is not null`.execute(db);
}
