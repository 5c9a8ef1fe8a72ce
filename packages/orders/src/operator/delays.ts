import type { BatchId } from '@lockstep/contract';
import type { Database } from '@lockstep/platform';
import { sql } from 'kysely';
import { isPaused } from '../channels/pauses.ts';

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
