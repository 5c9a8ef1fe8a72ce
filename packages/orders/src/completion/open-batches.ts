import type { BatchId } from '@lockstep/contract';
import { type Database, isTransient, lostAgainstOthers } from '@lockstep/platform';
import { sql } from 'kysely';
import { completeBatches } from './complete-batches.ts';

const BATCHES_AT_ONCE = 1_000;

/** Receives the batches that could not be completed, and the error of the first. */
type FailureListener = (batchIds: BatchId[], error: unknown) => void;

/**
 * Finds batches that are finished but still open because a process died between a drain's commit and completing its
 * batches. Each pass covers a bounded number of open batches, continues after the last one, and wraps around, so its
 * cost does not depend on how many are open.
 */
export class OpenBatches {
  #after = '0' as BatchId;
  readonly #failed = new Set<BatchId>();

  /**
   * Completes the finished batches among the next open ones, and returns their ids. If some batches can't be completed,
   * the others still are; `onFailed` receives each such batch once. Throws on errors that may affect all batches, such
   * as a lost connection.
   */
  async completeFinished(db: Database, onFailed?: FailureListener): Promise<BatchId[]> {
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
    try {
      return await completeBatches(db, finishedIds);
    } catch (error) {
      if (!isOfBatch(error)) throw error;
      return await this.#completeOneByOne(db, finishedIds, onFailed);
    }
  }

  async #completeOneByOne(db: Database, batchIds: readonly BatchId[], onFailed?: FailureListener): Promise<BatchId[]> {
    const completedIds: BatchId[] = [];
    const failures = new Map<BatchId, unknown>();
    for (const id of batchIds) {
      try {
        completedIds.push(...(await completeBatches(db, [id])));
      } catch (error) {
        if (!isOfBatch(error)) throw error;
        if (!this.#failed.has(id)) failures.set(id, error);
        this.#failed.add(id);
      }
    }
    const [first] = failures.values();
    if (failures.size > 0) onFailed?.([...failures.keys()], first);
    return completedIds;
  }
}

/** Whether an error may concern a single batch, so that others can still be completed. */
const isOfBatch = (error: unknown) => lostAgainstOthers(error) || !isTransient(error);
