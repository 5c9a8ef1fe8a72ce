import type { Database } from '@lockstep/platform';
import { sql } from 'kysely';

/** How many rows one statement counts. Each transaction adds one, so a busy second has a few hundred. */
const ROWS_AT_ONCE = 5_000;
/** How many statements one call runs, so that rows that gathered while no worker ran delay the sweep only briefly. */
const STEPS_AT_ONCE = 10;

export const PERIOD_SECONDS = 10;

/**
 * The length of a period of channel_activity, in seconds. It is short because the load of a channel may change quickly.
 */
export const CHANNEL_PERIOD_SECONDS = 2;

/** SQL: the start of the period of this many seconds in which a time lies. Periods start at the epoch. */
export const startOfPeriod = (seconds: number, time: string) =>
  sql<Date>`date_bin(make_interval(secs => ${sql.lit(seconds)}), ${sql.ref(time)}, 'epoch'::timestamptz)`;

/** SQL: how many orders a channel has queued since the beginning, as far as they have been counted. */
export const queuedIn = (channelId: string) => `(
  select coalesce(sum(queued), 0) from pending_orders where pending_orders.channel_id = ${channelId}
)`;

/**
 * Adds recorded activity, oldest rows first, to the totals by period, channel and cause, and to the pending orders. The
 * statement that counts a row deletes it, so each row counts once: rows committed late are counted later, rows that
 * another worker counts are skipped, and after a crash the rows still exist. Totals are updated in the order of their
 * keys, so that workers don't deadlock.
 *
 * Ends when few rows are left, or after many; then the next call continues.
 */
export async function countActivity(db: Database): Promise<void> {
  for (let step = 1; step <= STEPS_AT_ONCE; step++) {
    if ((await countSome(db)) < ROWS_AT_ONCE) return;
  }
}

async function countSome(db: Database): Promise<number> {
  const { rows } = await sql<{ counted: number }>`
    with taken as (
      delete from uncounted_activity where id = any (array(
        select id from uncounted_activity order by id limit ${sql.lit(ROWS_AT_ONCE)} for update skip locked
      ))
      returning *, case when pending > 0 then accepted else 0 end as queued,
        ${startOfPeriod(CHANNEL_PERIOD_SECONDS, 'noted_time')} as channel_period
    ), periods as (
      insert into order_activity as counted (period_start, pending, accepted, succeeded, failed)
      select ${startOfPeriod(PERIOD_SECONDS, 'noted_time')} as start, sum(pending), sum(accepted), sum(succeeded), sum(failed)
      from taken group by start order by start
      on conflict (period_start) do update set pending = counted.pending + excluded.pending,
        accepted = counted.accepted + excluded.accepted, succeeded = counted.succeeded + excluded.succeeded,
        failed = counted.failed + excluded.failed
    ), channels as (
      insert into channel_activity as counted (channel_id, period_start, queued_before, accepted, succeeded, failed)
      select channel_id, channel_period,
        ${sql.raw(queuedIn('taken.channel_id'))} + sum(sum(queued)) over (partition by channel_id order by channel_period) - sum(queued),
        sum(accepted), sum(succeeded), sum(failed)
      from taken group by channel_id, channel_period having sum(accepted + succeeded + failed) > 0 order by channel_id, channel_period
      on conflict (channel_id, period_start) do update set accepted = counted.accepted + excluded.accepted,
        succeeded = counted.succeeded + excluded.succeeded, failed = counted.failed + excluded.failed
    ), pending as (
      insert into pending_orders as counted (channel_id, application_id, pending, queued)
      select channel_id, application_id, sum(pending), sum(queued) from taken
      group by channel_id, application_id having sum(pending) <> 0 or sum(queued) > 0 order by channel_id, application_id
      on conflict (channel_id, application_id) do update set pending = counted.pending + excluded.pending,
        queued = counted.queued + excluded.queued
    ), causes as (
      insert into failure_activity as counted (minute_start, cause, failed)
      select ${startOfPeriod(60, 'noted_time')} as start, cause, sum(orders::int)
      from taken cross join jsonb_each_text(causes) as failures (cause, orders)
      group by start, cause order by start, cause
      on conflict (minute_start, cause) do update set failed = counted.failed + excluded.failed
    )
    select count(*)::int as counted from taken`.execute(db);
  return rows[0]!.counted;
}
