import { licenseOrderIdOf } from '@lockstep/assets';
import type { BatchId, CustomerId } from '@lockstep/contract';
import { run, send, type Trx, textArray } from '@lockstep/platform';
import { COMPLETED_COLUMNS, RECORDING_COMPLETIONS } from '../completion/record-completions.ts';
import { channelOfColumn } from '../lanes.ts';
import type { Outcome } from '../planning/outcome.ts';
import { listAssetNums, PAYLOAD_VERSION, type PlacedOrder, writeStoredOrders } from '../stored-orders.ts';
import { insertHeld, isReadable } from './holds.ts';
import type { Chunk } from './pending.ts';

/** A batch in which a transaction gave orders their outcome, and the call that sent it. */
export interface WorkedBatch {
  batchId: BatchId;
  channelOrderId: string;
  requestId: string;
  orders: number;
}

export interface Finished {
  batches: WorkedBatch[];
  /** Open batches of which this transaction finished at least one chunk. They may be complete after the commit. */
  finishedBatchIds: BatchId[];
  /** Whether this transaction completed batches. Number their events after the commit. */
  hasCompletions: boolean;
}

/**
 * Removes orders with an outcome from their chunks, and marks empty chunks as finished. Stores the content of failed
 * orders, and records activity. Throws if another transaction has finished a chunk.
 *
 * Also moves the orders of held customers out of the chunks. `areHeld`: the orders are already outside.
 * `completesBatches`: also completes the batches whose chunks are all finished in this transaction; others may be
 * completed after the commit, by `completeBatches`.
 */
export async function finishOrders(
  trx: Trx,
  chunks: readonly FinishedChunk[],
  outcomes: readonly Outcome[],
  {
    heldIds,
    areHeld = false,
    completesBatches = false,
  }: { heldIds?: ReadonlySet<CustomerId>; areHeld?: boolean; completesBatches?: boolean } = {},
): Promise<Finished> {
  const isFailed = new Map(outcomes.map(({ accepted, failure }) => [accepted.licenseOrderId, failure !== null]));
  const moved: { batchId: BatchId; lane: number; placed: PlacedOrder }[] = [];
  const finished = chunks.flatMap(({ batchId, lane, orders, counts }) => {
    const left: PlacedOrder[] = [];
    const failed: FailedInBatch[] = [];
    let succeeded = 0;
    for (const placed of orders) {
      const outcome = isFailed.get(licenseOrderIdOf(batchId, placed[0]));
      if (outcome === undefined && heldIds?.has(placed[1].customerId)) moved.push({ batchId, lane, placed });
      else if (outcome === undefined) left.push(placed);
      else if (outcome) failed.push({ batchId, placed });
      else succeeded++;
    }
    if (left.length === orders.length) return [];
    const payload = areHeld ? null : writeStoredOrders(left);
    return [{ batchId, lane, payload, failed, succeeded, counts }];
  });
  if (finished.length === 0) return { batches: [], finishedBatchIds: [], hasCompletions: false };
  await insertHeld(trx, moved);
  const ends = completesBatches ? countWhole(finished) : {};
  const rows = await run<FinishedRow>(trx, {
    name: 'finish_chunks',
    text: FINISH_CHUNKS,
    values: [
      finished.map(({ batchId }) => batchId),
      finished.map(({ lane }) => lane),
      textArray(finished.map(({ payload }) => payload)),
      finished.map(({ succeeded }) => succeeded),
      finished.map(({ failed }) => failed.length),
      countCauses(outcomes),
      ends,
      Object.keys(ends),
    ],
  });
  if (rows.length !== finished.length) throw new Error('another transaction finished a chunk');
  const calls = new Map(rows.map(({ batch_id, call }) => [batch_id, call]));
  const batches = [...Map.groupBy(finished, ({ batchId }) => batchId)].map(([batchId, chunks]) => {
    const [channelOrderId, requestId] = calls.get(batchId)!;
    const orders = chunks.reduce((sum, { succeeded, failed }) => sum + succeeded + failed.length, 0);
    return { batchId, channelOrderId, requestId, orders };
  });
  const failed = finished.flatMap((chunk) => chunk.failed);
  await keepFailedOrders(
    trx,
    failed.filter(({ placed: [, order] }) => isReadable(order)),
  );
  const finishedBatchIds = rows.filter(({ became }) => became === 'finished').map(({ batch_id }) => batch_id);
  return {
    batches: batches.filter(({ orders }) => orders > 0),
    finishedBatchIds: [...new Set(finishedBatchIds)],
    hasCompletions: rows.some(({ became }) => became === 'completed'),
  };
}

/** A chunk with finished orders. Held orders take the same form, without counts. */
type FinishedChunk = Pick<Chunk, 'batchId' | 'lane' | 'orders'> & Partial<Pick<Chunk, 'counts'>>;

/** Returns the batches whose chunks are all finished here, with their numbers of succeeded and failed orders. */
function countWhole(
  finished: readonly {
    batchId: BatchId;
    succeeded: number;
    failed: readonly unknown[];
    counts: Chunk['counts'] | undefined;
  }[],
): Record<BatchId, [succeeded: number, failed: number]> {
  const ends: Record<BatchId, [succeeded: number, failed: number]> = {};
  for (const [batchId, chunks] of Map.groupBy(finished, (chunk) => chunk.batchId)) {
    const isWhole = chunks.every(
      ({ succeeded, failed, counts }) =>
        counts?.chunks === chunks.length && succeeded + failed.length === counts.orders,
    );
    if (!isWhole) continue;
    const failed = chunks.reduce((sum, chunk) => sum + chunk.failed.length, 0);
    ends[batchId] = [chunks.reduce((sum, { succeeded }) => sum + succeeded, 0), failed];
  }
  return ends;
}

interface FinishedRow {
  batch_id: BatchId;
  /** What became of the chunk: deleted with its completed batch, finished, or partly pending. */
  became: 'completed' | 'finished' | 'pending';
  call: [channelOrderId: string, requestId: string];
}

function countCauses(outcomes: readonly Outcome[]): Record<string, number> {
  const causes: Record<string, number> = {};
  for (const { failure } of outcomes) {
    if (failure !== null) causes[failure.cause] = (causes[failure.cause] ?? 0) + 1;
  }
  return causes;
}

/** SQL: how many orders of a batch being completed succeeded (0) or failed (1). */
const completedCount = (place: number) => `($7::jsonb -> batch.id::text ->> ${place})::int`;

const IS_OVER = 'lane_chunk.succeeded + lane_chunk.failed + done.succeeded + done.failed = order_count';

// Completes each batch whose chunks are all finished here. If `order retry` puts a chunk back meanwhile, it locks the
// batch's row until its commit, and then has_retries is true. A batch with wrong counts is left to completeBatches,
// which reports it, so that its orders are applied all the same.
//
// The form keeps kept plans fast. Joining thousands of batches would compare them pair by pair. Each batch's call is
// looked up by index. Counts tell which chunks are pending, because a kept plan might read the whole index of pending
// chunks.
const FINISH_CHUNKS = `
  with done as (
    select * from unnest(
      (select $1::bigint[]), (select $2::int[]), (select $3::text[]), (select $4::int[]), (select $5::int[])
    ) as done (batch_id, lane, payload, succeeded, failed)
  ), completed as (
    update batch set completed_time = greatest(accepted_time, statement_timestamp()),
      succeeded = ${completedCount(0)}, failed = ${completedCount(1)}
    where id = any ((select $8::bigint[])::bigint[]) and batch.succeeded is null and not has_retries
      and ${completedCount(0)} + ${completedCount(1)} = cardinality(sequences)
    returning ${COMPLETED_COLUMNS}
  ), recorded as (${RECORDING_COMPLETIONS}
  ), cleared as (
    delete from lane_chunk where batch_id = any (array(select id from completed)) returning batch_id, lane
  ), updated as (
    update lane_chunk set
      payload = case when ${IS_OVER} then null else coalesce(done.payload, lane_chunk.payload) end,
      customer_ids = case when ${IS_OVER} then '{}' else customer_ids end,
      payload_version = case when done.payload is null then payload_version else ${PAYLOAD_VERSION}::smallint end,
      succeeded = lane_chunk.succeeded + done.succeeded,
      failed = lane_chunk.failed + done.failed,
      finished_time = case when ${IS_OVER} then greatest(accepted_time, statement_timestamp()) end,
      is_held = case when done.payload is null then is_held else done.payload = '[]' end and not (${IS_OVER})
    from done
    where lane_chunk.batch_id = any ((select $1::bigint[])::bigint[])
      and lane_chunk.batch_id = done.batch_id and lane_chunk.lane = done.lane
      and lane_chunk.succeeded + lane_chunk.failed < order_count
      and lane_chunk.batch_id not in (select id from completed)
    returning lane_chunk.batch_id, lane_chunk.lane, finished_time is not null as is_finished
  ), finished as (
    select batch_id, lane, done.succeeded, done.failed, became,
      (select array[channel_order_id, request_id, application_id::text] from batch where id = batch_id) as call
    from done join (
      select batch_id, lane, 'completed' as became from cleared
      union all
      select batch_id, lane, case when is_finished then 'finished' else 'pending' end from updated
    ) as chunk using (batch_id, lane)
  ), activity as (
    insert into uncounted_activity (application_id, channel_id, pending, accepted, succeeded, failed, causes)
    select call[3]::bigint, ${channelOfColumn()}, -sum(succeeded + failed), 0, sum(succeeded), sum(failed),
      case row_number() over () when 1 then $6::jsonb else '{}' end
    from finished group by call[3], ${channelOfColumn()} having sum(succeeded + failed) > 0
  )
  select batch_id, became, call from finished`;

type FailedInBatch = { batchId: BatchId; placed: PlacedOrder };

/**
 * Stores the content of failed orders, in the same form as while they were pending (rules 6.7). Call it in the
 * transaction that stores their outcomes.
 *
 * One text with a line each, because a cancel may store 32 MiB and the driver takes seconds to quote array elements.
 * JSON has no line breaks.
 */
async function keepFailedOrders(trx: Trx, failed: readonly FailedInBatch[]): Promise<void> {
  if (failed.length === 0) return;
  await send(trx, {
    name: 'keep_failed_orders',
    text: `
      insert into failed_order (license_order_id, payload_version, content, asset_nums)
      select license_order_id, ${PAYLOAD_VERSION}::smallint, content, asset_nums::text[]
      from rows from (string_to_table($1, chr(10)), unnest($2::bigint[], $3::text[]))
        as kept (content, license_order_id, asset_nums)`,
    values: [
      failed.map(({ placed }) => writeStoredOrders([placed])).join('\n'),
      failed.map(({ batchId, placed }) => licenseOrderIdOf(batchId, placed[0])),
      textArray(failed.map(({ placed }) => textArray(listAssetNums(placed[1])))),
    ],
  });
}
