import type { BatchId } from '@lockstep/contract';
import type { Database } from '@lockstep/platform';
import { sql } from 'kysely';
import { endBatches } from './end-batches.ts';

/** Open batches that one look covers. */
const BATCHES_AT_ONCE = 1_000;

/**
 * Looks for batches that are finished but open, because a process died between the commit of a drain and the end of its
 * batches. Each look covers some open batches, the next one those behind them, and then the oldest again: so a look costs
 * the same however many are open.
 */
export class OpenBatches {
  #after = '0' as BatchId;

  /** Ends the finished ones among the next open batches, and returns their ids. */
  async endFinished(db: Database): Promise<BatchId[]> {
    // LIMIT keeps the look-up of pending chunks one of an index, batch by batch.
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
    return await endBatches(db, finishedIds);
  }
}
