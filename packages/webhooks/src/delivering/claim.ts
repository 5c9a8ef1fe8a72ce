import { type EventId, type FeedEvent, TEST_TYPE, type WebhookId } from '@lockstep/contract';
import { readEventsAfter } from '@lockstep/orders';
import { type Database, inMs, inTransaction, prepared, type Trx } from '@lockstep/platform';
import { type RawBuilder, sql } from 'kysely';
import { messageIdOf } from '../managing/deliveries.ts';
import type { Told } from '../sending/messages.ts';
import { chooseTurns, listExhausted, listFree, type Trust, type Turn } from './fair-claims.ts';
import { MOST_AT_ONCE } from './standing.ts';

const MAX_WEBHOOKS_OF_LOOK = 100;
/** How many deliveries of a webhook may be due, or wait for a retry, before further events stay in the feed. */
const MAX_PENDING = 300;
/** If the last attempt succeeded, this many deliveries may wait for a retry, in addition to MAX_PENDING due ones. */
const MAX_PENDING_WHEN_WELL = 3_000;
const MAX_ADDED = 100;
/** How many events are looked at for each that may be added to a webhook with filters. */
const LOOKED_AT = 10;
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
  /** The trace context of the batch that the event is about; null if there is none. */
  traceparent: string | null;
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
/** Whether a webhook may have events without deliveries, new ones or to send again, and room for some. */
const hasNewEvents = sql`(
  (w.replay_until is not null
    or exists (select from event e where e.application_id = w.application_id and e.position > w.after_position))
  and ${room} > 0)`;
/** Whether webhook `w` receives event `e`, by its filters, and unless the event is about itself (rules 6.8). */
const isWanted = sql`(
  (w.types is null or e.type = any (w.types))
  and (w.channel_codes is null or coalesce(
    coalesce(e.channel_code, (select b.channel_code from batch b where b.id = e.batch_id)) = any (w.channel_codes), true))
  and (e.type not like 'webhook.%' or e.data->>'webhookId' <> w.id::text))`;

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
    where w.deleted_time is null and num_nonnulls(w.disabled_time, w.paused_time) = 0 and a.status = 'approved'
      and (${hasNewEvents} or (
        ${trustOf} = any (${listFree(running)}) and ${free} > 0
        and (w.failing_since is null or w.application_id <> all (${listExhausted(running)}::bigint[]))
        and exists (select from webhook_delivery d where d.webhook_id = w.id and ${isDue})))
    order by random() limit ${MAX_WEBHOOKS_OF_LOOK} for no key update of w skip locked`.execute(trx);
  return rows.map(({ id }) => id);
}

/**
 * Adds deliveries for the next events, oldest first, new ones before those to send again. Looks at a limited number,
 * and passes those that the webhook does not want. An event whose delivery is pending does not get a second one.
 * Returns whether any were added or passed.
 */
async function addDeliveries(trx: Trx, webhookIds: readonly WebhookId[]): Promise<boolean> {
  const next = (isAgain: boolean, range: RawBuilder<unknown>) => sql`
    (select ${sql.lit(isAgain)} as is_again, e.position, e.type, ${isWanted} as is_wanted from event e
     where e.application_id = w.application_id and ${range} order by e.position limit w.looked_at)`;
  const rows = await prepared(trx, 'add_deliveries')`
    with looking as (
      select w.*, case when num_nonnulls(types, channel_codes) = 0 then room else room * ${LOOKED_AT}::int end as looked_at
      from (select w.*, ${room} as room from webhook w where w.id = any (${webhookIds}::bigint[])) as w
    ), found as (
      select w.id as webhook_id, w.room, e.*,
        count(*) filter (where is_wanted) over (partition by w.id order by is_again, position) as nth
      from looking w cross join lateral (
        ${next(false, sql`e.position > w.after_position`)}
        union all ${next(true, sql`e.position > w.replay_after and e.position <= w.replay_until`)}
      ) as e
    ), taken as (
      select * from found where nth <= room
    ), reached as (
      select w.id, w.application_id, w.replay_until, max(position) filter (where not is_again) as after_position,
        coalesce(max(position) filter (where is_again), w.replay_after) as replay_after
      from looking w left join taken on webhook_id = w.id
      where w.room > 0 group by w.id, w.application_id, w.replay_after, w.replay_until
    ), moved as (
      update webhook w
      set after_position = coalesce(reached.after_position, w.after_position),
        replay_after = case when is_unfinished then reached.replay_after end,
        replay_until = case when is_unfinished then w.replay_until end
      from (
        select *, exists (
          select from event e
          where e.application_id = r.application_id and e.position > r.replay_after and e.position <= r.replay_until
        ) as is_unfinished from reached r
      ) as reached
      where w.id = reached.id and (reached.after_position is not null or w.replay_until is not null)
      returning w.id
    ), added as (
      insert into webhook_delivery (webhook_id, position, type)
      select webhook_id, position, type from taken
      where is_wanted and not (is_again and exists (
        select from webhook_delivery d
        where d.webhook_id = taken.webhook_id and d.state = 'pending' and d.position = taken.position offset 0
      ))
      order by webhook_id, position
    )
    select from moved`;
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
      w.application_id as "applicationId", w.url, ${inMs('d.created_time')} as "createdMs", d.position, array[w.secret] || array(
        select o.secret from webhook_old_secret o
        where o.webhook_id = w.id and o.end_time > statement_timestamp() order by o.end_time desc
      ) as secrets, (
        select t.traceparent from event e join batch_trace t using (batch_id)
        where e.application_id = w.application_id and e.position = d.position
      ) as traceparent`.execute(trx);
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
