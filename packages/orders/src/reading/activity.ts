import { ORDERS_PER_BATCH } from '@lockstep/assets';
import type { Overview } from '@lockstep/contract/console';
import { type Database, inMs } from '@lockstep/platform';
import { type RawBuilder, sql } from 'kysely';
import { PERIOD_SECONDS, startOfPeriod } from '../channels/count-activity.ts';

// Activity for operators: what workers have counted, and what has not been counted yet.

/** How many uncounted rows a reading includes at most, newest first: those of some ten seconds while workers count. */
const MAX_UNCOUNTED = 10_000;

type Activity = Pick<Overview, 'now' | 'intervals'>;

/**
 * Reads the activity of the last `seconds` in intervals without gaps, and of the last 10 to 20 seconds. The cost
 * depends on the length of time, not on the activity. It is one statement, so each order is counted once.
 *
 * What was pending earlier is what is pending now without the changes since. Accepted and finished orders would not
 * tell it: an order that failed is pending again after a retry, and then finishes twice.
 */
export async function readActivity(
  db: Database,
  { seconds, intervalSeconds }: { seconds: number; intervalSeconds: number },
): Promise<Activity> {
  const { rows } = await sql<Activity['intervals'][number] & Pick<Activity, 'now'>>`
    with span as (
      select at, ${startOfPeriod(intervalSeconds, 'at')} as last_interval,
        ${startOfPeriod(PERIOD_SECONDS, 'at')} - ${secondsLong(PERIOD_SECONDS)} as now_since
      from (select statement_timestamp() as at) as clock
    ), done as (
      select period_start as time, pending, accepted, succeeded, failed from order_activity
      where period_start >= (select last_interval from span) - ${secondsLong(seconds - intervalSeconds)}
      union all ${newestUncounted(sql`noted_time, pending, accepted, succeeded, failed`)}
    ), counted as (
      select ${startOfPeriod(intervalSeconds, 'time')} as start, sum(pending) as change, ${SUMS}
      from done group by start
    ), waiting as (
      select coalesce(sum(pending), 0) as orders
      from (select pending from pending_orders union all ${newestUncounted(sql`pending`)}) as changes
    ), recent as (select ${SUMS} from done where time >= (select now_since from span))
    select ${inMs('start')} as "startTime",
      coalesce(counted.accepted, 0) as accepted, coalesce(counted.succeeded, 0) as succeeded,
      coalesce(counted.failed, 0) as failed, (waiting.orders - coalesce(
        sum(change) over (order by start desc rows between unbounded preceding and 1 preceding), 0
      ))::float8 as pending, json_build_object(
        'accepted', coalesce(recent.accepted, 0), 'succeeded', coalesce(recent.succeeded, 0),
        'failed', coalesce(recent.failed, 0), 'seconds', extract(epoch from at - now_since)
      ) as now
    from span cross join recent cross join waiting cross join generate_series(
      last_interval - ${secondsLong(seconds - intervalSeconds)}, last_interval, ${secondsLong(intervalSeconds)}
    ) as start
    left join counted using (start) order by start`.execute(db);
  return { now: rows[0]!.now, intervals: rows.map(({ now: _, ...interval }) => interval) };
}

const SUMS = sql`sum(accepted)::float8 as accepted, sum(succeeded)::float8 as succeeded, sum(failed)::float8 as failed`;
const secondsLong = (seconds: number) => sql`make_interval(secs => ${sql.lit(seconds)})`;

export async function readFailureCauses(db: Database, seconds: number) {
  const { rows } = await sql<{ cause: string; failed: number; lastTime: number }>`
    with failures as (
      select minute_start as time, cause, failed from failure_activity
      where minute_start >= statement_timestamp() - ${secondsLong(seconds)}
      union all
      select noted_time, cause, orders::int
      from (${newestUncounted(sql`noted_time, causes`)}) as uncounted
        cross join jsonb_each_text(causes) as listed (cause, orders)
      where noted_time >= statement_timestamp() - ${secondsLong(seconds)}
    )
    select cause, sum(failed)::float8 as failed, ${inMs('max(time)')} as "lastTime"
    from failures group by cause order by failed desc, cause`.execute(db);
  return rows;
}

/** How many failures the channels are counted in at most, newest first. */
const MAX_FAILURES = 5_000;

/** Reads in which channels the newest failed orders are, the most frequent ten first. */
export async function readFailedChannels(db: Database, seconds: number) {
  const { rows } = await sql<{ channelCode: string; failed: number }>`
    with newest as (
      select license_order_id / ${sql.lit(ORDERS_PER_BATCH)} as batch_id from failed_order
      where failed_time >= statement_timestamp() - ${secondsLong(seconds)}
      order by failed_time desc limit ${sql.lit(MAX_FAILURES)}
    ), failures as (
      select (select channel_code from batch where id = batch_id) as channel_code, count(*) as failed
      from newest group by batch_id
    )
    select channel_code as "channelCode", sum(failed)::float8 as failed from failures
    group by channel_code order by failed desc, channel_code limit 10`.execute(db);
  return rows;
}

const newestUncounted = (columns: RawBuilder<unknown>) =>
  sql`(select ${columns} from uncounted_activity order by id desc limit ${sql.lit(MAX_UNCOUNTED)})`;

/** Since when a worker's background work has been waiting, in milliseconds; null if none is. */
export interface WaitingWork {
  /** The oldest completed batch whose event readers and webhooks cannot see yet. */
  eventsSinceTime: number | null;
  activitySinceTime: number | null;
}

/** Reads since when events have had no position in the feed, and activity has not been counted. */
export async function readWaitingWork(db: Database): Promise<WaitingWork> {
  const { rows } = await sql<WaitingWork>`
    select
      (select ${inMs('happened_time')} from unnumbered_event order by id limit 1) as "eventsSinceTime",
      (select ${inMs('noted_time')} from uncounted_activity order by id limit 1) as "activitySinceTime"`.execute(db);
  return rows[0]!;
}
