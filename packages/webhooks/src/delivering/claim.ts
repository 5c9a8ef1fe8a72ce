import type { EventId, FeedEvent, WebhookId } from '@lockstep/contract';
import { readEventsAfter } from '@lockstep/orders';
import { type Database, inMs, inTransaction, type Trx } from '@lockstep/platform';
import { type RawBuilder, sql } from 'kysely';
import { messageIdOf, TEST_TYPE } from '../managing/deliveries.ts';
import type { Told } from '../sending/messages.ts';
import { chooseTurns, listExhausted, listFree, type Trust, type Turn } from './fair-claims.ts';
import { MOST_AT_ONCE } from './standing.ts';

const MAX_WEBHOOKS_OF_LOOK = 100;
/** How many deliveries of a webhook may be due, or wait for a retry, before further events stay in the feed. */
const MAX_PENDING = 300;
/** If the last attempt succeeded, this many deliveries may wait for a retry, in addition to MAX_PENDING due ones. */
const MAX_PENDING_WHEN_WELL = 3_000;
const MAX_ADDED = 100;
/** How often an endpoint with too many pending deliveries, none of them due, gets a new one as a probe. */
const PROBE_EVERY_SECONDS = 60;
/**
 * How long a claim is valid. An attempt takes at most 16 seconds. If the worker dies, another sends the message after
 * this.
 */
export const CLAIM_SECONDS = 30;

/** A delivery that only this worker may send for now. */
export interface Claim extends Turn {
  deliveryId: string;
  claims: number;
  attempts: number;
  url: string;
  /** Newest first. */
  secrets: Buffer[];
  isTest: boolean;
  told: Told;
}

const isDue = sql`(d.state = 'pending' and d.due_time <= statement_timestamp()
  and (d.claimed_until is null or d.claimed_until <= statement_timestamp()))`;
const trustOf = sql<Trust>`case w.last_attempt_prompt when true then 'trusted' when false then 'distrusted' else 'untried' end`;
const free = sql`(w.at_once - (select count(*) from webhook_delivery d
  where d.webhook_id = w.id and d.state = 'pending' and d.claimed_until > statement_timestamp()))`;
const pendingIsBelow = (most: number, of: RawBuilder<unknown>) => sql`((select count(*) from (
  select from webhook_delivery d where d.webhook_id = w.id and d.state = 'pending' and ${of} limit ${most}
) as pending) < ${most})`;
const lastAdded = sql`(select d.created_time from webhook_delivery d
  where d.webhook_id = w.id and d.position is not null order by d.id desc limit 1)`;
/**
 * How many deliveries may be added to a webhook. In the end, a failing endpoint gets one a minute (1,440 a day), so
 * that its recovery is noticed within a minute.
 */
const room = sql`case
  when ${pendingIsBelow(MAX_PENDING, sql`(d.due_time <= statement_timestamp() or w.failing_since is not null)`)}
    and (w.failing_since is not null or ${pendingIsBelow(MAX_PENDING_WHEN_WELL, sql`true`)}) then ${MAX_ADDED}::int
  when ${lastAdded} <= statement_timestamp() - make_interval(secs => ${PROBE_EVERY_SECONDS})
    and not exists (select from webhook_delivery d
      where d.webhook_id = w.id and d.state = 'pending' and d.due_time <= statement_timestamp()) then 1
  else 0 end`;
/** Whether a webhook has new events without deliveries, and room for some. */
const hasNewEvents = sql`(
  exists (select from event e where e.application_id = w.application_id and e.position > w.after_position)
  and ${room} > 0)`;

/**
 * Claims due deliveries, as many as a worker can send besides `running`. Before that, adds deliveries for new events.
 * Only one worker at a time does this for a webhook; others skip it. `more`: whether another round may find more at
 * once.
 */
export async function claimDeliveries(
  db: Database,
  running: readonly Turn[],
): Promise<{ claims: Claim[]; more: boolean }> {
  return await inTransaction(db, async (trx) => {
    const webhookIds = await lockWebhooks(trx, running);
    if (webhookIds.length === 0) return { claims: [], more: false };
    const isMoved = await addDeliveries(trx, webhookIds);
    const claims = await claim(trx, chooseTurns(await readReady(trx, webhookIds), running));
    return { claims, more: isMoved || claims.length > 0 };
  });
}

/** Locks webhooks that have work. Later statements of the transaction see what others have committed by then. */
async function lockWebhooks(trx: Trx, running: readonly Turn[]): Promise<WebhookId[]> {
  const { rows } = await sql<{ id: WebhookId }>`
    select w.id from webhook w join application a on a.id = w.application_id
    where w.deleted_time is null and w.disabled_time is null and a.status = 'approved'
      and (${hasNewEvents} or (
        ${trustOf} = any (${listFree(running)}) and ${free} > 0
        and (w.failing_since is null or w.application_id <> all (${listExhausted(running)}::bigint[]))
        and exists (select from webhook_delivery d where d.webhook_id = w.id and ${isDue})))
    order by random() limit ${MAX_WEBHOOKS_OF_LOOK} for no key update of w skip locked`.execute(trx);
  return rows.map(({ id }) => id);
}

/**
 * Adds deliveries for the next events, oldest first. An event whose delivery waits for a retry does not get a second
 * one. Returns whether any were added.
 */
async function addDeliveries(trx: Trx, webhookIds: readonly WebhookId[]): Promise<boolean> {
  const { rows } = await sql`
    with next as (
      select w.id as webhook_id, e.position, e.type
      from webhook w cross join lateral (
        select position, type from event
        where application_id = w.application_id and position > w.after_position
        order by position limit ${room}
      ) as e
      where w.id = any (${webhookIds}::bigint[])
    ), moved as (
      update webhook w set after_position = last.position
      from (select webhook_id, max(position) as position from next group by webhook_id) as last
      where w.id = last.webhook_id
      returning w.id
    ), added as (
      insert into webhook_delivery (webhook_id, position, type)
      select webhook_id, position, type from next
      where not exists (
        select from webhook_delivery d
        where d.webhook_id = next.webhook_id and d.state = 'pending' and d.position = next.position
      )
      order by webhook_id, position
    )
    select from moved`.execute(trx);
  return rows.length > 0;
}

interface Ready extends Turn {
  id: string;
}

/**
 * Reads which deliveries could be sent now: the first of each webhook, then the second of each, and so on, with the
 * webhooks in random order. Tests come first, because people wait for them.
 */
async function readReady(trx: Trx, webhookIds: readonly WebhookId[]): Promise<Ready[]> {
  const { rows } = await sql<Ready>`
    select ready.id, w.id as "webhookId", w.application_id as "applicationId", ${trustOf} as trust,
      w.failing_since is not null as "isFailing"
    from webhook w cross join lateral (
      select id, row_number() over (order by test desc, due_time, id) as nth from (
        (select d.id, true as test, d.due_time from webhook_delivery d
         where d.webhook_id = w.id and ${isDue} and d.position is null
         limit ${MOST_AT_ONCE})
        union all
        (select d.id, false, d.due_time from webhook_delivery d
         where d.webhook_id = w.id and ${isDue} and d.position is not null
         order by d.due_time, d.id limit ${MOST_AT_ONCE})
      ) as due
      order by nth limit greatest(${free}, 0)
    ) as ready
    where w.id = any (${webhookIds}::bigint[])
    order by nth, random()`.execute(trx);
  return rows;
}

type ClaimedRow = Omit<Claim, 'isTest' | 'told' | 'trust' | 'isFailing'> & {
  position: EventId | null;
  createdMs: number;
};

async function claim(trx: Trx, chosen: readonly Ready[]): Promise<Claim[]> {
  if (chosen.length === 0) return [];
  const { rows } = await sql<ClaimedRow>`
    update webhook_delivery d
    set claims = claims + 1, claimed_until = statement_timestamp() + make_interval(secs => ${CLAIM_SECONDS})
    from webhook w
    where d.id = any (${chosen.map(({ id }) => id)}::bigint[]) and w.id = d.webhook_id
    returning d.id as "deliveryId", d.claims, d.attempts, d.webhook_id as "webhookId",
      w.application_id as "applicationId", w.url, ${inMs('d.created_time')} as "createdMs", d.position, array_remove(
        array[w.secret, case when w.old_secret_end_time > statement_timestamp() then w.old_secret end], null
      ) as secrets`.execute(trx);
  const turns = new Map(chosen.map(({ id, trust, isFailing }) => [id, { trust, isFailing }]));
  const events = await readEvents(trx, rows);
  const isGone = ({ position }: ClaimedRow) => position !== null && !events.has(position);
  await failDeliveries(trx, rows.filter(isGone));
  return rows
    .filter((row) => !isGone(row))
    .map(({ position, createdMs, ...row }) => ({
      ...row,
      ...turns.get(row.deliveryId)!,
      isTest: position === null,
      told: position === null ? buildTest(row.deliveryId, createdMs) : events.get(position)!,
    }));
}

const buildTest = (id: string, time: number): Told => ({
  id: messageIdOf({ id, position: null }),
  type: TEST_TYPE,
  time,
  data: {},
});

async function readEvents(trx: Trx, rows: readonly ClaimedRow[]): Promise<Map<string, FeedEvent>> {
  const ofEvents = rows.flatMap(({ applicationId, position }) =>
    position === null ? [] : [{ applicationId, position, after: BigInt(position) - 1n, limit: 1 }],
  );
  if (ofEvents.length === 0) return new Map();
  const found = await readEventsAfter(trx, ofEvents);
  return new Map(found.flatMap(({ events }) => events.map((event) => [event.id, event] as const)));
}

/** Fails deliveries whose event has been deleted, because nothing is left to send. */
async function failDeliveries(trx: Trx, rows: readonly ClaimedRow[]): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    update webhook_delivery set state = 'failed', due_time = null, claimed_until = null
    where id = any (${rows.map(({ deliveryId }) => deliveryId)}::bigint[])`.execute(trx);
}
