import type { BatchId, CustomerId } from '@lockstep/contract';
import type { HoldPage, HoldsQuery, OrderCounts } from '@lockstep/contract/console';
import type { Database } from '@lockstep/platform';
import { type RawBuilder, sql } from 'kysely';
import { PERIOD_SECONDS, startOfPeriod } from '../channels/count-activity.ts';
import { isPaused } from '../channels/pauses.ts';

// Activity for operators: what workers have counted, and what has not been counted yet.

/** How many uncounted rows a reading includes at most, newest first: those of some ten seconds while workers count. */
const MAX_UNCOUNTED = 10_000;

/** The length of time that a reading covers, and of its intervals. */
export interface ActivitySpan {
  seconds: number;
  intervalSeconds: number;
}

interface ActivityInterval extends OrderCounts {
  startTime: number;
}

export interface Activity {
  /** When this was read, by the database's clock, in milliseconds. */
  time: number;
  /** The intervals, without gaps, oldest first. The last one is incomplete. */
  intervals: ActivityInterval[];
  /** The activity of the last 10 to 20 seconds. */
  now: OrderCounts & { seconds: number };
}

interface IntervalRow {
  intervalTime: number;
  accepted: number;
  succeeded: number;
  failed: number;
}

/**
 * Reads the activity of the last `seconds`. The cost depends on the length of time, not on the activity. It is one
 * statement, so each order is counted once.
 */
export async function readActivity(db: Database, { seconds, intervalSeconds }: ActivitySpan): Promise<Activity> {
  const { rows } = await sql<IntervalRow & { time: number; is_recent: boolean }>`
    with clock as (select statement_timestamp() as at),
    span as (
      select at, ${startOfPeriod(intervalSeconds, 'at')} as last_interval,
        ${startOfPeriod(PERIOD_SECONDS, 'at')} as last_period
      from clock
    ), done as (
      select period_start as time, accepted, succeeded, failed from order_activity
      where period_start >= (select last_interval from span) - make_interval(secs => ${seconds - intervalSeconds}::int)
      union all ${newestUncounted(sql`noted_time, accepted, succeeded, failed`)}
    ), counted as (
      select ${startOfPeriod(intervalSeconds, 'time')} as interval_start,
        time >= last_period - make_interval(secs => ${PERIOD_SECONDS}::int) as is_recent,
        sum(accepted) as accepted, sum(succeeded) as succeeded, sum(failed) as failed
      from done cross join span group by interval_start, is_recent
    )
    select (extract(epoch from at) * 1000)::float8 as time,
      (extract(epoch from interval_start) * 1000)::float8 as "intervalTime",
      coalesce(is_recent, false) as is_recent, coalesce(accepted, 0)::float8 as accepted,
      coalesce(succeeded, 0)::float8 as succeeded, coalesce(failed, 0)::float8 as failed
    from span left join counted on true`.execute(db);
  const { time } = rows[0]!;
  const startMs = Math.floor(time / 1_000 / PERIOD_SECONDS) * PERIOD_SECONDS * 1_000 - PERIOD_SECONDS * 1_000;
  const recent = addUp(rows.filter((row) => row.is_recent));
  return {
    time: Math.floor(time),
    intervals: fillGaps(rows, time, { seconds, intervalSeconds }),
    now: { ...recent, seconds: (time - startMs) / 1_000 },
  };
}

export async function readFailureCauses(db: Database, seconds: number) {
  const { rows } = await sql<{ cause: string; failed: number; lastTime: number }>`
    with failures as (
      select minute_start as time, cause, failed from failure_activity
      where minute_start >= statement_timestamp() - make_interval(secs => ${seconds}::int)
      union all
      select noted_time, cause, orders::int
      from (${newestUncounted(sql`noted_time, causes`)}) as uncounted
        cross join jsonb_each_text(causes) as listed (cause, orders)
      where noted_time >= statement_timestamp() - make_interval(secs => ${seconds}::int)
    )
    select cause, sum(failed)::float8 as failed, floor(extract(epoch from max(time)) * 1000)::float8 as "lastTime"
    from failures group by cause order by failed desc, cause`.execute(db);
  return rows;
}

const newestUncounted = (columns: RawBuilder<unknown>) =>
  sql`(select ${columns} from uncounted_activity order by id desc limit ${sql.lit(MAX_UNCOUNTED)})`;

function fillGaps(
  rows: readonly IntervalRow[],
  time: number,
  { seconds, intervalSeconds }: ActivitySpan,
): ActivityInterval[] {
  const byStart = Map.groupBy(rows, ({ intervalTime }) => intervalTime);
  const intervalMs = intervalSeconds * 1_000;
  const count = Math.ceil(seconds / intervalSeconds);
  const firstMs = (Math.floor(time / intervalMs) - count + 1) * intervalMs;
  return Array.from({ length: count }, (_, place) => {
    const startTime = firstMs + place * intervalMs;
    return { startTime, ...addUp(byStart.get(startTime) ?? []) };
  });
}

function addUp(rows: readonly OrderCounts[]): OrderCounts {
  const sum = { accepted: 0, succeeded: 0, failed: 0 };
  for (const { accepted, succeeded, failed } of rows) {
    sum.accepted += accepted;
    sum.succeeded += succeeded;
    sum.failed += failed;
  }
  return sum;
}

export interface WaitingBatch {
  batchId: BatchId;
  acceptedTime: number;
}

/** Returns the oldest batch with a pending order, except held orders and paused channels; null if there is none. */
export async function findOldestPending(db: Database): Promise<WaitingBatch | null> {
  const { rows } = await sql<{ id: BatchId; accepted_time: Date }>`
    with recursive oldest as (
      (select lane, batch_id from lane_chunk where finished_time is null and not is_held order by lane, batch_id limit 1)
      union all
      select next.* from oldest cross join lateral (
        select lane, batch_id from lane_chunk
        where finished_time is null and not is_held and lane_chunk.lane > oldest.lane
        order by lane, batch_id limit 1
      ) as next
    )
    select id, accepted_time from batch
    where id = (select min(batch_id) from oldest where not ${sql.raw(isPaused('lane'))})`.execute(db);
  const [oldest] = rows;
  return oldest === undefined ? null : { batchId: oldest.id, acceptedTime: oldest.accepted_time.getTime() };
}

/** Since when a worker's background work has been waiting, in milliseconds; null if none is. */
export interface WaitingWork {
  /** The oldest completed batch whose event readers and webhooks cannot see yet. */
  eventsSinceTime: number | null;
  activitySinceTime: number | null;
}

/** Reads since when events have had no position in the feed, and activity has not been counted. */
export async function readWaitingWork(db: Database): Promise<WaitingWork> {
  const { rows } = await sql<{ events: Date | null; activity: Date | null }>`
    select
      (select completed_time from unnumbered_event order by id limit 1) as events,
      (select noted_time from uncounted_activity order by id limit 1) as activity`.execute(db);
  const { events, activity } = rows[0]!;
  return { eventsSinceTime: events?.getTime() ?? null, activitySinceTime: activity?.getTime() ?? null };
}

export async function listHolds(db: Database, { limit, cursor }: HoldsQuery): Promise<HoldPage> {
  const { rows } = await sql<HoldRow>`
    select *, (
      select count(*)::int from (
        select from held_order where held_order.customer_id = hold.customer_id limit 1000
      ) as waiting
    ) as orders
    from order_hold as hold where customer_id > ${cursor ?? ''} order by customer_id limit ${limit + 1}`.execute(db);
  const shown = rows.slice(0, limit);
  return {
    holds: shown.map((row) => ({
      customerId: row.customer_id,
      licenseOrderId: row.license_order_id,
      orders: row.orders,
      since: row.since.getTime(),
      tries: row.tries,
      nextTryTime: row.next_try.getTime(),
      lastError: row.last_error,
    })),
    nextCursor: rows.length > limit ? shown.at(-1)!.customer_id : null,
  };
}

interface HoldRow {
  customer_id: CustomerId;
  license_order_id: string;
  since: Date;
  tries: number;
  next_try: Date;
  last_error: string;
  orders: number;
}
