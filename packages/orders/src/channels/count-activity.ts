import type { Database } from '@lockstep/platform';
import { sql } from 'kysely';

/** Notes that one statement counts. There is one a transaction, so a busy second has some hundred. */
export const NOTES_AT_ONCE = 5_000;
/** Statements of one call, so that notes that have gathered while no worker ran keep the sweep for a moment only. */
const STEPS_AT_ONCE = 10;

/** The length of a period of order_activity, in seconds. */
export const PERIOD_SECONDS = 10;

/** The length of a period of channel_activity, in seconds: short, as a channel may have nothing to do and soon much. */
export const CHANNEL_PERIOD_SECONDS = 2;

/** For SQL: the start of the piece of time of so many seconds in which a time lies. Pieces begin with the epoch. */
export const startOfPiece = (seconds: number, time: string) =>
  sql<Date>`date_bin(make_interval(secs => ${sql.lit(seconds)}), ${sql.ref(time)}, 'epoch'::timestamptz)`;

/** For SQL: how many orders a channel has queued ever, as far as they are added up. */
export const queuedIn = (channelId: string) => `(
  select coalesce(sum(queued), 0) from pending_orders where pending_orders.channel_id = ${channelId}
)`;

/**
 * Adds what transactions noted up, by period, by channel and by cause, and what is pending, the oldest notes first. A
 * note is taken away by the statement that adds it up, so each counts once: whatever commits late is taken later, what
 * another worker is adding up is left to it, and after a crash or a failure the notes are there again. Rows are updated
 * in the order of their keys, so workers wait for each other and do not deadlock.
 *
 * It ends when few notes are left, or when it has counted many; then the next call goes on.
 */
export async function countActivity(db: Database): Promise<void> {
  for (let step = 1; step <= STEPS_AT_ONCE; step++) {
    if ((await countSome(db)) < NOTES_AT_ONCE) return;
  }
}

async function countSome(db: Database): Promise<number> {
  const { rows } = await sql<{ notes: number }>`
    with taken as (
      delete from uncounted_activity where id = any (array(
        select id from uncounted_activity order by id limit ${sql.lit(NOTES_AT_ONCE)} for update skip locked
      ))
      returning *, case when pending > 0 then accepted else 0 end as queued,
        ${startOfPiece(CHANNEL_PERIOD_SECONDS, 'noted_time')} as piece
    ), periods as (
      insert into order_activity as counted (period_start, accepted, succeeded, failed)
      select ${startOfPiece(PERIOD_SECONDS, 'noted_time')} as start, sum(accepted), sum(succeeded), sum(failed)
      from taken group by start order by start
      on conflict (period_start) do update set accepted = counted.accepted + excluded.accepted,
        succeeded = counted.succeeded + excluded.succeeded, failed = counted.failed + excluded.failed
    ), channels as (
      insert into channel_activity as counted (channel_id, period_start, queued_before, accepted, succeeded, failed)
      select channel_id, piece,
        ${sql.raw(queuedIn('taken.channel_id'))} + sum(sum(queued)) over (partition by channel_id order by piece) - sum(queued),
        sum(accepted), sum(succeeded), sum(failed)
      from taken group by channel_id, piece having sum(accepted + succeeded + failed) > 0 order by channel_id, piece
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
      select ${startOfPiece(60, 'noted_time')} as start, cause, sum(orders::int)
      from taken cross join jsonb_each_text(causes) as failures (cause, orders)
      group by start, cause order by start, cause
      on conflict (minute_start, cause) do update set failed = counted.failed + excluded.failed
    )
    select count(*)::int as notes from taken`.execute(db);
  return rows[0]!.notes;
}
