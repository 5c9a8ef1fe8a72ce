import type { BatchId, CustomerId } from '@lockstep/contract';
import {
  buildRows,
  type Database,
  inTransaction,
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
  keyOf,
  type SubmittedBatch,
} from '../accepting/batch.ts';
import { ENDED_COLUMNS, NOTING_ENDS } from '../applying/batch-ends.ts';
import { channelOfColumn } from '../lanes.ts';
import { SO_FAR } from '../results/results.ts';
import { PAYLOAD_VERSION } from '../stored-orders.ts';

// Batches end here, and in the drains that finish them (applying/finish-orders.ts): from then on their rows say so, and
// there is an event of each end.

/**
 * Ends those of some batches whose chunks are all finished and which have no end yet, and returns their ids. Their
 * events have to be numbered after the commit (EventNumbering), which also wakes the calls that wait for them.
 *
 * Each batch ends once, however many callers find it finished at the same time. The first statement locks the rows in
 * the order of their ids. A row that somebody else has locked is left out, so that one batch never keeps others from
 * ending: whoever has it ends or reopens the batch; if not, the sweep comes by. The second statement decides. It sees
 * what was committed before the lock, so it never deletes a chunk that `order retry` has put back.
 *
 * Call it in the transaction that finishes a last chunk, or right after the commit of one that finishes chunks: two
 * transactions that finish the last two chunks do not see each other, but whoever commits later sees both.
 */
export async function endBatches(db: Database | Trx, batchIds: readonly BatchId[]): Promise<BatchId[]> {
  if (batchIds.length === 0) return [];
  return await inTransaction(db, async (trx) => {
    const locked = await run(trx, lockingFinished(batchIds));
    if (locked.length === 0) return [];
    const rows = await run(trx, endingLocked(locked.map(({ id }) => id)));
    return rows[0]!.ids;
  });
}

// That a batch is open is said by its counts: with completed_time PostgreSQL may read all of the index of open batches,
// which has an entry for each that has ended since the last vacuum.
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

// The chunks are looked up batch by batch in their index: a join might read them all.
const endingLocked = (batchIds: readonly BatchId[]): Statement<{ ids: BatchId[] }> => ({
  name: 'end_batches',
  text: `
    with finished as (
      select batch.id, chunks.last_time, so_far.succeeded, so_far.failed from batch
      cross join lateral (
        select max(finished_time) as last_time from lane_chunk where batch_id = batch.id
        having bool_and(finished_time is not null)
      ) as chunks ${SO_FAR}
      where batch.id = any ((select $1::bigint[])::bigint[]) and batch.succeeded is null
    ), ended as (
      update batch set completed_time = last_time, succeeded = finished.succeeded, failed = finished.failed
      from finished where batch.id = any ((select $1::bigint[])::bigint[]) and batch.id = finished.id
      returning ${ENDED_COLUMNS}
    ), cleared as (
      delete from lane_chunk using ended
      where batch_id = any ((select $1::bigint[])::bigint[]) and batch_id = ended.id
    ), noted as (${NOTING_ENDS}
    )
    select coalesce(array_agg(id::text), '{}') as ids from ended`,
  values: [batchIds],
});

/**
 * Stores sync batches with their end, in the transaction in which all of their orders succeed. Nobody waits for them:
 * nobody can see them before the commit. Call it when their outcomes are stored.
 *
 * Inserts in the order of the keys, as async batches are inserted: calls that store the same ones wait and do not
 * deadlock. It is sent ahead: PostgreSQL's unique_violation comes with the next answer or the commit if another call
 * has stored one of the keys.
 */
export async function insertEndedBatches(
  trx: Trx,
  batches: readonly { id: BatchId; batch: SubmittedBatch }[],
): Promise<void> {
  const sorted = batches.map((each) => ({ ...each, key: keyOf(each.batch) })).sort((a, b) => (a.key < b.key ? -1 : 1));
  const chunks = sorted.flatMap(({ batch: { applicationId, chunks } }) =>
    chunks.map((chunk) => ({ applicationId, ...chunk })),
  );
  await send(trx, {
    name: 'store_ended_batches',
    text: STORE_ENDED_BATCHES,
    values: [
      ...batchArrays(sorted.map(({ batch }) => batch)),
      sorted.map(({ id }) => id),
      chunks.map(({ applicationId }) => applicationId),
      chunks.map(({ lane }) => lane),
      chunks.map(({ orderCount }) => orderCount),
    ],
  });
}

// They finish now, but not before they are accepted, even if the clock was set back since.
const STORE_ENDED_BATCHES = `
  with stored as (
    insert into batch (id, ${BATCH_COLUMNS}, completed_time, succeeded, failed)
    select id, ${BATCH_VALUES}, greatest(now(), statement_timestamp()), cardinality(sequences::int[]), 0
    from unnest(${BATCH_ARRAYS}, (select $10::bigint[])) with ordinality as input (${BATCH_NAMES}, id, place) order by place
    returning id, application_id, completed_time, succeeded, failed
  ), noted as (
    insert into unnumbered_event (application_id, batch_id, type, completed_time, succeeded, failed, cancelled)
    select application_id, id, 'batch.completed', completed_time, succeeded, failed, 0 from stored order by id
  )
  insert into uncounted_activity (application_id, channel_id, pending, accepted, succeeded, failed, causes)
  select application_id, ${channelOfColumn()}, 0, sum(orders), sum(orders), 0, '{}'
  from unnest((select $11::bigint[]), (select $12::int[]), (select $13::int[])) as chunk (application_id, lane, orders)
  group by application_id, ${channelOfColumn()}`;

/** Locks batches, so that nobody ends them before the commit. */
export async function lockBatches(trx: Trx, batchIds: readonly BatchId[]): Promise<void> {
  await sql`select from batch where id = any (${batchIds}::bigint[]) order by id for no key update`.execute(trx);
}

/** Orders of a batch and a lane that are pending again. */
export interface ChunkBack {
  batchId: BatchId;
  lane: number;
  /** Whose orders come back. */
  customerIds: readonly CustomerId[];
  /** How many come back, and their weight. */
  orderCount: number;
  weight: number;
  /** All that is pending of the chunk then. */
  payload: string;
}

/**
 * Makes orders pending again, and takes the ends of their batches back. Lock the batches before. They may come back in
 * another lane than the one that has counted their failure, so from then on outcomes say what is finished of the batch
 * (SO_FAR).
 */
export async function reopenBatches(trx: Trx, chunks: readonly ChunkBack[]): Promise<void> {
  const rows = buildRows([
    ['batch_id', 'bigint', chunks.map(({ batchId }) => batchId)],
    ['lane', 'integer', chunks.map(({ lane }) => lane)],
    ['order_count', 'integer', chunks.map(({ orderCount }) => orderCount)],
    ['weight', 'integer', chunks.map(({ weight }) => weight)],
    ['customer_ids', 'text', chunks.map(({ customerIds }) => textArray(customerIds))],
  ]);
  // As one text, a line each, because the driver takes long to quote the elements of an array. JSON has no line breaks.
  const payloads = chunks.map(({ payload }) => payload).join('\n');
  await sql`
    with reopened as (
      update batch set completed_time = null, succeeded = null, failed = null, has_retries = true,
        reopened_time = case when completed_time is null then reopened_time else statement_timestamp() end
      where id = any (${chunks.map(({ batchId }) => batchId)}::bigint[])
    ), back as (
      select * from rows from (string_to_table(${payloads}::text, chr(10)), ${rows})
        as back (payload, batch_id, lane, order_count, weight, customer_ids)
    ), noted as (
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
