import type { BatchId } from '@lockstep/contract';
import type { Database } from '@lockstep/platform';
import { sql } from 'kysely';
import { readOldestPending } from '../draining/lost-jobs.ts';

export interface WaitingBatch {
  batchId: BatchId;
  acceptedTime: number;
}

/** Returns the oldest batch with a pending order; null if nothing is pending. */
export async function findOldestPending(db: Database): Promise<WaitingBatch | null> {
  let oldest: bigint | null = null;
  for (let lane = -1; lane < Number.POSITIVE_INFINITY; ) {
    const looked = await readOldestPending(db, lane);
    for (const { batchId } of looked.oldest) if (oldest === null || batchId < oldest) oldest = batchId;
    lane = looked.throughLane;
  }
  if (oldest === null) return null;
  const { id, accepted_time } = await db
    .selectFrom('batch')
    .select(['id', 'accepted_time'])
    .where('id', '=', String(oldest) as BatchId)
    .executeTakeFirstOrThrow();
  return { batchId: id, acceptedTime: accepted_time.getTime() };
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
