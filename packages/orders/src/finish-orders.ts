import { licenseOrderIdOf } from '@lockstep/assets';
import type { BatchId, CustomerId } from '@lockstep/contract';
import { buildRows, named, run, type Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { notingOutcomes } from './activity-notes.ts';
import { type FailedInBatch, keepFailedOrders } from './failed-orders.ts';
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
  /** Customers who have orders left in the chunks. */
  leftCustomerIds: ReadonlySet<CustomerId>;
}

/**
 * Removes finished orders from their chunks, and marks empty chunks finished. Keeps what the failed ones held, and notes
 * how many there were. Throws if somebody else has finished one.
 */
export async function finishOrders(
  trx: Trx,
  chunks: readonly Chunk[],
  outcomes: readonly Outcome[],
): Promise<Finished> {
  const isFailed = new Map(outcomes.map(({ accepted, failure }) => [accepted.licenseOrderId, failure !== null]));
  const leftCustomerIds = new Set<CustomerId>();
  const finished = chunks.flatMap(({ batchId, lane, orders }) => {
    const left: PlacedOrder[] = [];
    const failed: FailedInBatch[] = [];
    for (const placed of orders) {
      const outcome = isFailed.get(licenseOrderIdOf(batchId, placed[0]));
      if (outcome === undefined) left.push(placed);
      else if (outcome) failed.push({ batchId, placed });
    }
    for (const [, order] of left) leftCustomerIds.add(order.customerId);
    if (left.length === orders.length) return [];
    const payload = left.length === 0 ? null : writeStoredOrders(left);
    return [{ batchId, lane, payload, failed, succeeded: orders.length - left.length - failed.length }];
  });
  if (finished.length === 0) return { batches: [], finishedBatchIds: [], leftCustomerIds };
  const done = buildRows([
    ['batch_id', 'bigint', finished.map(({ batchId }) => batchId)],
    ['lane', 'smallint', finished.map(({ lane }) => lane)],
    ['payload', 'text', finished.map(({ payload }) => payload)],
    ['succeeded', 'integer', finished.map(({ succeeded }) => succeeded)],
    ['failed', 'integer', finished.map(({ failed }) => failed.length)],
  ]);
  // The call of each batch is looked up in its index, row by row: a join might read all batches there are. That a chunk is
  // pending is said by its counts, because a kept plan might read all pending chunks there are by their index.
  const finishing = sql<{ batch_id: BatchId; call: [channelOrderId: string, requestId: string | null] }>`
    with noted as (${notingOutcomes(outcomes)})
    update lane_chunk set payload = done.payload, payload_version = ${PAYLOAD_VERSION}::smallint,
      succeeded = lane_chunk.succeeded + done.succeeded,
      failed = lane_chunk.failed + done.failed,
      finished_time = case when done.payload is null then greatest(accepted_time, statement_timestamp()) end
    from ${done} as done (batch_id, lane, payload, succeeded, failed)
    where lane_chunk.batch_id = any ((select ${finished.map(({ batchId }) => batchId)}::bigint[])::bigint[])
      and lane_chunk.batch_id = done.batch_id and lane_chunk.lane = done.lane
      and lane_chunk.succeeded + lane_chunk.failed < order_count
    returning lane_chunk.batch_id,
      (select array[channel_order_id, request_id] from batch where id = lane_chunk.batch_id) as call`;
  const rows = await run(trx, named('finish_chunks', finishing));
  if (rows.length !== finished.length) throw new Error('A chunk was finished by somebody else');
  const calls = new Map(rows.map(({ batch_id, call }) => [batch_id, call]));
  const batches = [...Map.groupBy(finished, ({ batchId }) => batchId)].map(([batchId, chunks]) => {
    const [channelOrderId, requestId] = calls.get(batchId)!;
    const orders = chunks.reduce((sum, { succeeded, failed }) => sum + succeeded + failed.length, 0);
    return { batchId, channelOrderId, requestId, orders };
  });
  await keepFailedOrders(
    trx,
    finished.flatMap(({ failed }) => failed),
  );
  const finishedBatchIds = finished.filter(({ payload }) => payload === null).map(({ batchId }) => batchId);
  return { batches, finishedBatchIds: [...new Set(finishedBatchIds)], leftCustomerIds };
}
