import type { BatchId } from '@lockstep/contract';
import { type Database, isTransient, lostAgainstOthers } from '@lockstep/platform';
import { sql } from 'kysely';
import { completeBatches } from './complete-batches.ts';

const BATCHES_AT_ONCE = 1_000;

/**
 * Finds batches that are finished but still open because a process died between a drain's commit and completing its
 * batches. Each pass covers a bounded number of open batches, continues after the last one, and wraps around, so its
 * cost does not depend on how many are open.
 */
export class OpenBatches {
  #after = '0' as BatchId;

  /**
   * Completes the finished batches among the next open ones, and returns their ids. If some batches can't be completed,
   * the others still are; then it throws an error that names the last of them.
   */
  async completeFinished(db: Database): Promise<BatchId[]> {
    // LIMIT makes PostgreSQL look up pending chunks by index, batch by batch.
    const { rows } = await sql<{ last_id: BatchId | null; finished_ids: BatchId[] }>`
      select max(id) as last_id, coalesce(array_agg(id::text) filter (where is_pending is null), '{}') as finished_ids
      from (
        select id from batch where completed_time is null and id > ${this.#after} order by id limit ${BATCHES_AT_ONCE}
      ) as open
      left join lateral (
        select true as is_pending from lane_chunk where batch_id = open.id and finished_time is null limit 1
      ) as chunk on true`.execute(db);
    const { last_id: lastId, finished_ids: finishedIds } = rows[0]!;
    this.#after = lastId ?? ('0' as BatchId);
    const completedIds: BatchId[] = [];
    let failure: Error | null = null;
    for (const id of finishedIds) {
      try {
        completedIds.push(...(await completeBatches(db, [id])));
      } catch (cause) {
        // An error such as a lost connection concerns all.
        if (isTransient(cause) && !lostAgainstOthers(cause)) throw cause;
        failure = new Error(`batch ${id} can't be completed`, { cause });
      }
    }
    if (failure !== null) throw failure;
    return completedIds;
  }
}
