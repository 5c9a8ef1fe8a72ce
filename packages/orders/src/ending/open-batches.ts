import type { BatchId } from '@lockstep/contract';
import { type Database, isTransient, lostAgainstOthers } from '@lockstep/platform';
import { sql } from 'kysely';
import { endBatches } from './end-batches.ts';

/** Open batches that one look covers. */
const BATCHES_AT_ONCE = 1_000;

/** Hears which batches could not be ended, and why the first of them could not. */
type FailureListener = (batchIds: BatchId[], error: unknown) => void;

/**
 * Looks for batches that are finished but open, because a process died between the commit of a drain and the end of its
 * batches. Each look covers some open batches, the next one those behind them, and then the oldest again: so a look
 * costs the same however many are open.
 */
export class OpenBatches {
  #after = '0' as BatchId;
  /** Those that could not be ended. */
  readonly #failed = new Set<BatchId>();

  /**
   * Ends the finished ones among the next open batches, and returns their ids. Where some cannot be ended, the others
   * end all the same; `onFailed` hears of each such batch once. Throws what may keep all from ending, such as a lost
   * connection.
   */
  async endFinished(db: Database, onFailed?: FailureListener): Promise<BatchId[]> {
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
    try {
      return await endBatches(db, finishedIds);
    } catch (error) {
      if (!isOfBatch(error)) throw error;
      return await this.#endOneByOne(db, finishedIds, onFailed);
    }
  }

  async #endOneByOne(db: Database, batchIds: readonly BatchId[], onFailed?: FailureListener): Promise<BatchId[]> {
    const endedIds: BatchId[] = [];
    const failures = new Map<BatchId, unknown>();
    for (const id of batchIds) {
      try {
        endedIds.push(...(await endBatches(db, [id])));
      } catch (error) {
        if (!isOfBatch(error)) throw error;
        if (!this.#failed.has(id)) failures.set(id, error);
        this.#failed.add(id);
      }
    }
    const [first] = failures.values();
    if (failures.size > 0) onFailed?.([...failures.keys()], first);
    return endedIds;
  }
}

/** Whether an error may be that of one batch, so that others can be ended. */
const isOfBatch = (error: unknown) => lostAgainstOthers(error) || !isTransient(error);
