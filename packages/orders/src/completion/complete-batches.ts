import { ORDERS_PER_BATCH } from '@lockstep/assets';
import type { BatchId } from '@lockstep/contract';
import {
  buildRows,
  type Database,
  inTransaction,
  isTransient,
  lostAgainstOthers,
  run,
  type Statement,
  send,
  type Trx,
  textArray,
} from '@lockstep/platform';
import { sql } from 'kysely';
import {
  BATCH_ARRAYS,
  BATCH_COLUMNS,
  BATCH_NAMES,
  BATCH_VALUES,
  batchArrays,
  isTraced,
  RECORDING_STORED,
  type SubmittedBatch,
  storingTraces,
} from '../accepting/batch.ts';
import type { PreparedChunk } from '../accepting/prepare.ts';
import { channelOfColumn } from '../lanes.ts';
import { PAYLOAD_VERSION } from '../stored-orders.ts';
import { SO_FAR } from '../summary.ts';

/**
 * Completes those of the batches whose chunks are all finished, and returns their ids: stores completed_time, the
 * counts and an event, and deletes the chunks. Number the events after the commit (EventNumbering), which also wakes
 * the calls that wait for them.
 *
 * Each batch is completed once, even if several callers try at the same time. The first statement locks the rows,
 * ordered by id. It skips rows that are locked elsewhere, so that one batch never delays others: the lock's holder
 * completes or reopens that batch, or else the sweep completes it. The second statement sees everything committed
 * before the lock, so it never deletes a chunk that `order retry` has put back.
 *
 * Call it right after the commit of each transaction that finishes chunks: two that finish the last two chunks don't
 * see each other, but whichever looks later sees both.
 */
export async function completeBatches(db: Database | Trx, batchIds: readonly BatchId[]): Promise<BatchId[]> {
  if (batchIds.length === 0) return [];
  return await inTransaction(db, async (trx) => {
    const locked = await run(trx, lockingFinished(batchIds));
    if (locked.length === 0) return [];
    const rows = await run(trx, completingLocked(locked.map(({ id }) => id)));
    return rows[0]!.ids;
  });
}

// The counts, not completed_time, tell that a batch is open. With completed_time, PostgreSQL may read the whole index
// of open batches, which has an entry for each batch that was completed since the last vacuum.
const lockingFinished = (batchIds: readonly BatchId[]): Statement<{ id: BatchId }> => ({
  name: 'lock_finished_batches',
  text: `
    select id from batch cross join lateral (
      select from lane_chunk where batch_id = batch.id having bool_and(finished_time is not null)
    ) as chunks
    where id = any ((select $1::bigint[])::bigint[]) and succeeded is null
    order by id for no key update of batch skip locked`,
  values: [batchIds],
});

// Looks up chunks by index, batch by batch. A join might read the whole table.
const completingLocked = (batchIds: readonly BatchId[]): Statement<{ ids: BatchId[] }> => ({
  name: 'complete_batches',
  text: `
    with finished as (
      select batch.id, chunks.last_time, so_far.succeeded, so_far.failed from batch
      cross join lateral (
        select max(finished_time) as last_time from lane_chunk where batch_id = batch.id
        having bool_and(finished_time is not null)
      ) as chunks ${SO_FAR}
      where batch.id = any ((select $1::bigint[])::bigint[]) and batch.succeeded is null
    ), completed as (
      update batch set completed_time = last_time, succeeded = finished.succeeded, failed = finished.failed
      from finished where batch.id = any ((select $1::bigint[])::bigint[]) and batch.id = finished.id
      returning batch.id, application_id, completed_time, batch.succeeded, batch.failed, reopened_time
    ), cleared as (
      delete from lane_chunk using completed
      where batch_id = any ((select $1::bigint[])::bigint[]) and batch_id = completed.id
    ), recorded as (
      insert into unnumbered_event (application_id, batch_id, type, happened_time, succeeded, failed, cancelled)
      select application_id, id, case when reopened_time is null then 'batch.completed' else 'batch.retried' end,
        completed_time, succeeded, failed, case when failed = 0 then 0 else (
          select count(*) from license_order
          where license_order.id >= completed.id * ${ORDERS_PER_BATCH}
            and license_order.id < (completed.id + 1) * ${ORDERS_PER_BATCH} and cause = 'cancelled'
        ) end
      from completed order by id
    )
    select coalesce(array_agg(id::text), '{}') as ids from completed`,
  values: [batchIds],
});

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

/**
 * Stores sync batches as completed, in the transaction in which all of their orders succeed. Call it after storing
 * their outcomes. No call can wait for these batches, because they are invisible until the commit.
 *
 * Lock their keys first (keyLockOf). It does not wait for the answer.
 */
export async function insertCompletedBatches(
  trx: Trx,
  batches: readonly { id: BatchId; batch: SubmittedBatch }[],
): Promise<void> {
  const chunks = batches.flatMap(({ batch: { applicationId, chunks } }) =>
    chunks.map((chunk) => ({ applicationId, ...chunk })),
  );
  await send(trx, {
    ...(isTraced(batches.map(({ batch }) => batch))
      ? { name: 'store_traced_batches', text: STORE_TRACED_BATCHES }
      : { name: 'store_completed_batches', text: STORE_COMPLETED_BATCHES }),
    values: [
      ...batchArrays(batches.map(({ batch }) => batch)),
      batches.map(({ id }) => id),
      chunks.map(({ applicationId }) => applicationId),
      chunks.map(({ lane }) => lane),
      chunks.map(({ orderCount }) => orderCount),
      textArray(batches.map(({ batch }) => batch.traceparent)),
    ],
  });
}

// `greatest` keeps completed_time from preceding accepted_time if the clock was set back.
const storeCompletedBatches = (traced: string) => `
  with input as materialized (
    select * from unnest(${BATCH_ARRAYS}, (select $10::bigint[]), (select $14::text[])) with ordinality
      as input (${BATCH_NAMES}, id, traceparent, place)
  )${traced}, stored as (
    insert into batch (id, ${BATCH_COLUMNS}, completed_time, succeeded, failed)
    select id, ${BATCH_VALUES}, greatest(now(), statement_timestamp()), cardinality(sequences::int[]), 0
    from input order by place
    returning id, application_id, completed_time, succeeded, failed
  ), recorded as (${RECORDING_STORED}
  )
  insert into uncounted_activity (application_id, channel_id, pending, accepted, succeeded, failed, causes)
  select application_id, ${channelOfColumn()}, 0, sum(orders), sum(orders), 0, '{}'
  from unnest((select $11::bigint[]), (select $12::int[]), (select $13::int[])) as chunk (application_id, lane, orders)
  group by application_id, ${channelOfColumn()}`;
const STORE_COMPLETED_BATCHES = storeCompletedBatches('');
const STORE_TRACED_BATCHES = storeCompletedBatches(storingTraces('input'));

/** Locks batches, so that no other transaction completes them before the commit. */
export async function lockBatches(trx: Trx, batchIds: readonly BatchId[]): Promise<void> {
  await sql`select from batch where id = any (${batchIds}::bigint[]) order by id for no key update`.execute(trx);
}

/** Orders of one batch and lane that are pending again. `payload`: all pending orders of the chunk, these included. */
export type ChunkBack = PreparedChunk & { batchId: BatchId };

/**
 * Makes orders pending again and reopens their batches. Lock the batches first. Their chunks still count the failures,
 * or are gone. From then on, totals of the batch are therefore counted from outcomes (SO_FAR).
 */
export async function reopenBatches(trx: Trx, chunks: readonly ChunkBack[]): Promise<void> {
  const rows = buildRows([
    ['batch_id', 'bigint', chunks.map(({ batchId }) => batchId)],
    ['lane', 'integer', chunks.map(({ lane }) => lane)],
    ['order_count', 'integer', chunks.map(({ orderCount }) => orderCount)],
    ['weight', 'integer', chunks.map(({ weight }) => weight)],
    ['customer_ids', 'text', chunks.map(({ customerIds }) => textArray(customerIds))],
  ]);
  // One text with a line each: the driver is slow to quote array elements. JSON has no line breaks.
  const payloads = chunks.map(({ payload }) => payload).join('\n');
  await sql`
    with reopened as (
      update batch set completed_time = null, succeeded = null, failed = null, has_retries = true,
        reopened_time = case when completed_time is null then reopened_time else statement_timestamp() end
      where id = any (${chunks.map(({ batchId }) => batchId)}::bigint[])
    ), back as (
      select * from rows from (string_to_table(${payloads}::text, chr(10)), ${rows})
        as back (payload, batch_id, lane, order_count, weight, customer_ids)
    ), activity as (
      insert into uncounted_activity (application_id, channel_id, pending, accepted, succeeded, failed, causes)
      select application_id, ${sql.raw(channelOfColumn())}, sum(order_count), 0, 0, 0, '{}'
      from back join batch on id = batch_id group by application_id, ${sql.raw(channelOfColumn())}
    )
    insert into lane_chunk as chunk (batch_id, lane, customer_ids, order_count, weight, payload, payload_version)
    select batch_id, lane, customer_ids::text[], order_count, weight, payload, ${PAYLOAD_VERSION}::smallint
    from back
    on conflict (batch_id, lane) do update set payload = excluded.payload, payload_version = excluded.payload_version,
      finished_time = null, is_held = false,
      customer_ids = array(select distinct unnest(chunk.customer_ids || excluded.customer_ids)),
      order_count = chunk.order_count + excluded.order_count, weight = chunk.weight + excluded.weight`.execute(trx);
}
