import type { BatchId } from '@lockstep/contract';
import type { Database } from '@lockstep/platform';
import { sql } from 'kysely';
import { readOldestPending } from '../draining/lost-jobs.ts';

/** A batch that waits, and since when: milliseconds. */
export interface WaitingBatch {
  batchId: BatchId;
  acceptedTime: number;
}

/** Finds the oldest batch with a pending order; null if nothing is pending. */
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

/** Since when what workers do beside the orders waits, in milliseconds; null: nothing waits. */
export interface WaitingWork {
  /** The oldest end of a batch that readers of events and webhooks do not see yet. */
  eventsSinceTime: number | null;
  /** The oldest note of activity that is not added up. */
  activitySinceTime: number | null;
}

/** Reads since when ends of batches have no place in the feed, and notes of activity are not added up. */
export async function readWaitingWork(db: Database): Promise<WaitingWork> {
  const { rows } = await sql<{ events: Date | null; activity: Date | null }>`
    select
      (select completed_time from unnumbered_event order by id limit 1) as events,
      (select noted_time from uncounted_activity order by id limit 1) as activity`.execute(db);
  const { events, activity } = rows[0]!;
  return { eventsSinceTime: events?.getTime() ?? null, activitySinceTime: activity?.getTime() ?? null };
}
