import { licenseOrderIdOf } from '@lockstep/assets';
import type { BatchId, CustomerId } from '@lockstep/contract';
import { buildRows, named, run, type Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { notingOutcomes } from './activity-notes.ts';
import { type FailedInBatch, keepFailedOrders } from './failed-orders.ts';
import { insertHeld, isReadable } from './holds.ts';
import { PAYLOAD_VERSION } from './order-text.ts';
import type { Outcome } from './outcome.ts';
import type { Chunk } from './pending.ts';
import { type PlacedOrder, writeStoredOrders } from './stored-orders.ts';

/** A batch of which a transaction has carried orders out, and the call that brought it. */
export interface WorkedBatch {
  batchId: BatchId;
  channelOrderId: string;
  /** Null for a batch of a release that did not keep it. */
  requestId: string | null;
  /** How many of its orders got their outcome in this transaction. */
  orders: number;
}

/** What finishOrders has done. */
interface Finished {
  /** Batches in which it finished orders. */
  batches: WorkedBatch[];
  /** Batches with at least one chunk that this transaction finished. */
  finishedBatchIds: BatchId[];
}

/**
 * Removes finished orders from their chunks, and marks chunks finished that have none left. Keeps what the failed ones
 * held, and notes how many there were. Throws if somebody else has finished one.
 *
 * Takes the orders of held customers out of the chunks, too. `areHeld`: the orders are out of their chunks already.
 */
export async function finishOrders(
  trx: Trx,
  chunks: readonly Pick<Chunk, 'batchId' | 'lane' | 'orders'>[],
  outcomes: readonly Outcome[],
  { heldIds, areHeld = false }: { heldIds?: ReadonlySet<CustomerId>; areHeld?: boolean } = {},
): Promise<Finished> {
  const isFailed = new Map(outcomes.map(({ accepted, failure }) => [accepted.licenseOrderId, failure !== null]));
  const moved: { batchId: BatchId; lane: number; placed: PlacedOrder }[] = [];
  const finished = chunks.flatMap(({ batchId, lane, orders }) => {
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
    return [{ batchId, lane, payload, failed, succeeded }];
  });
  if (finished.length === 0) return { batches: [], finishedBatchIds: [] };
  await insertHeld(trx, moved);
  const done = buildRows([
    ['batch_id', 'bigint', finished.map(({ batchId }) => batchId)],
    ['lane', 'smallint', finished.map(({ lane }) => lane)],
    ['payload', 'text', finished.map(({ payload }) => payload)],
    ['succeeded', 'integer', finished.map(({ succeeded }) => succeeded)],
    ['failed', 'integer', finished.map(({ failed }) => failed.length)],
  ]);
  // The call of each batch is looked up in its index, row by row: a join might read all batches there are. That a chunk is
  // pending is said by its counts, because a kept plan might read all pending chunks there are by their index.
  const isOver = sql`lane_chunk.succeeded + lane_chunk.failed + done.succeeded + done.failed = order_count`;
  const finishing = sql<FinishedRow>`
    with noted as (${notingOutcomes(outcomes)})
    update lane_chunk set
      payload = case when ${isOver} then null else coalesce(done.payload, lane_chunk.payload) end,
      payload_version = case when done.payload is null then payload_version else ${PAYLOAD_VERSION}::smallint end,
      succeeded = lane_chunk.succeeded + done.succeeded,
      failed = lane_chunk.failed + done.failed,
      finished_time = case when ${isOver} then greatest(accepted_time, statement_timestamp()) end,
      is_held = case when done.payload is null then is_held else done.payload = '[]' end and not (${isOver})
    from ${done} as done (batch_id, lane, payload, succeeded, failed)
    where lane_chunk.batch_id = any ((select ${finished.map(({ batchId }) => batchId)}::bigint[])::bigint[])
      and lane_chunk.batch_id = done.batch_id and lane_chunk.lane = done.lane
      and lane_chunk.succeeded + lane_chunk.failed < order_count
    returning lane_chunk.batch_id, finished_time is not null as is_finished,
      (select array[channel_order_id, request_id] from batch where id = lane_chunk.batch_id) as call`;
  const rows = await run(trx, named('finish_chunks', finishing));
  if (rows.length !== finished.length) throw new Error('A chunk was finished by somebody else');
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
  const finishedBatchIds = rows.filter(({ is_finished }) => is_finished).map(({ batch_id }) => batch_id);
  return { batches: batches.filter(({ orders }) => orders > 0), finishedBatchIds: [...new Set(finishedBatchIds)] };
}

interface FinishedRow {
  batch_id: BatchId;
  is_finished: boolean;
  call: [channelOrderId: string, requestId: string | null];
}
