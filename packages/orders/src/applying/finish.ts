import { licenseOrderIdOf } from '@lockstep/assets';
import type { BatchId, CustomerId, LicenseOrderId } from '@lockstep/contract';
import { isTracing, type Logger, run, send, type Trx, textArray } from '@lockstep/platform';
import { channelOfColumn } from '../lanes.ts';
import type { Outcome } from '../planning/order.ts';
import { listAssetNums, PAYLOAD_VERSION, type PlacedOrder, writeStoredOrders } from '../stored-orders.ts';
import { insertHeld, isReadable } from './holds.ts';
import type { Chunk } from './pending.ts';

/** A batch in which a transaction gave orders their outcome, and the call that sent it. */
interface WorkedBatch {
  batchId: BatchId;
  channelOrderId: string;
  requestId: string;
  orders: number;
}

/** The orders that a transaction gave their outcome, and their batches. */
export interface Applied {
  succeeded: number;
  failedOrders: { licenseOrderId: LicenseOrderId; cause: string }[];
  batches: WorkedBatch[];
  /** Batches of which this transaction finished at least one chunk. Complete them after the commit. */
  finishedBatchIds: BatchId[];
  /** The trace contexts of the batches' calls that are recorded, if this process traces. */
  traceparents: string[];
}

export const NOTHING_APPLIED: Applied = {
  succeeded: 0,
  failedOrders: [],
  batches: [],
  finishedBatchIds: [],
  traceparents: [],
};

/**
 * Removes orders with an outcome from their chunks, and marks empty chunks as finished. Stores the content of failed
 * orders, and records activity. Throws if another transaction has finished a chunk.
 *
 * Also moves the orders of held customers out of the chunks. `areHeld`: the orders are already outside.
 */
export async function finishOrders(
  trx: Trx,
  chunks: readonly FinishedChunk[],
  outcomes: readonly Outcome[],
  { heldIds, areHeld = false }: { heldIds?: ReadonlySet<CustomerId>; areHeld?: boolean } = {},
): Promise<Applied> {
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
    const customerIds = textArray([...new Set(left.map(([, { customerId }]) => customerId))]);
    return [{ batchId, lane, payload, customerIds, failed, succeeded }];
  });
  if (finished.length === 0) return NOTHING_APPLIED;
  await insertHeld(trx, moved);
  const failedOrders = outcomes.flatMap(({ accepted, failure }) =>
    failure === null ? [] : [{ licenseOrderId: accepted.licenseOrderId, cause: failure.cause }],
  );
  const rows = await run<FinishedRow>(trx, {
    ...(isTracing() ? { name: 'finish_traced', text: FINISH_TRACED } : { name: 'finish_chunks', text: FINISH_CHUNKS }),
    values: [
      finished.map(({ batchId }) => batchId),
      finished.map(({ lane }) => lane),
      textArray(finished.map(({ payload }) => payload)),
      finished.map(({ succeeded }) => succeeded),
      finished.map(({ failed }) => failed.length),
      countCauses(failedOrders),
      textArray(finished.map(({ customerIds }) => customerIds)),
    ],
  });
  if (rows.length !== finished.length) throw new Error('another transaction finished a chunk');
  const calls = new Map(rows.map(({ batch_id, call }) => [batch_id, call]));
  const batches = [...Map.groupBy(finished, ({ batchId }) => batchId)].map(([batchId, chunks]) => {
    const [channelOrderId, requestId] = calls.get(batchId)!;
    const orders = chunks.reduce((sum, { succeeded, failed }) => sum + succeeded + failed.length, 0);
    return { batchId, channelOrderId, requestId, orders };
  });
  const failed = finished.flatMap((chunk) => chunk.failed).filter(({ placed: [, order] }) => isReadable(order));
  await keepFailedOrders(trx, failed);
  return {
    succeeded: outcomes.length - failedOrders.length,
    failedOrders,
    batches: batches.filter(({ orders }) => orders > 0),
    finishedBatchIds: [...new Set(rows.filter(({ is_finished }) => is_finished).map(({ batch_id }) => batch_id))],
    traceparents: [...calls.values()].flatMap(([, , , traceparent]) => traceparent ?? []),
  };
}

type FinishedChunk = Pick<Chunk, 'batchId' | 'lane' | 'orders'>;

interface FinishedRow {
  batch_id: BatchId;
  is_finished: boolean;
  call: [channelOrderId: string, requestId: string, applicationId: string, traceparent?: string | null];
}

function countCauses(failedOrders: Applied['failedOrders']): Record<string, number> {
  const byCause = Map.groupBy(failedOrders, ({ cause }) => cause);
  return Object.fromEntries([...byCause].map(([cause, orders]) => [cause, orders.length]));
}

const IS_OVER = 'lane_chunk.succeeded + lane_chunk.failed + done.succeeded + done.failed = order_count';

// The form keeps kept plans fast. Joining thousands of batches would compare them pair by pair. Each batch's call is
// looked up by index. Counts tell which chunks are pending, because a kept plan might read the whole index of pending
// chunks.
const finishChunks = (traced: string) => `
  with done as (
    select * from unnest(
      (select $1::bigint[]), (select $2::int[]), (select $3::text[]), (select $4::int[]), (select $5::int[]),
      (select $7::text[])
    ) as done (batch_id, lane, payload, succeeded, failed, left_ids)
  ), updated as (
    update lane_chunk set
      payload = case when ${IS_OVER} then null else coalesce(done.payload, lane_chunk.payload) end,
      customer_ids = case when done.payload is null and not (${IS_OVER}) then customer_ids else left_ids::text[] end,
      payload_version = case when done.payload is null then payload_version else ${PAYLOAD_VERSION}::smallint end,
      succeeded = lane_chunk.succeeded + done.succeeded,
      failed = lane_chunk.failed + done.failed,
      finished_time = case when ${IS_OVER} then greatest(accepted_time, statement_timestamp()) end,
      is_held = case when done.payload is null then is_held else done.payload = '[]' end and not (${IS_OVER})
    from done
    where lane_chunk.batch_id = any ((select $1::bigint[])::bigint[])
      and lane_chunk.batch_id = done.batch_id and lane_chunk.lane = done.lane
      and lane_chunk.succeeded + lane_chunk.failed < order_count
    returning lane_chunk.batch_id, lane_chunk.lane, done.succeeded, done.failed, finished_time is not null as is_finished
  ), finished as (
    select *, (select array[channel_order_id, request_id, application_id::text${traced}] from batch where id = batch_id) as call
    from updated
  ), activity as (
    insert into uncounted_activity (application_id, channel_id, pending, accepted, succeeded, failed, causes)
    select call[3]::bigint, ${channelOfColumn()}, -sum(succeeded + failed), 0, sum(succeeded), sum(failed),
      case row_number() over () when 1 then $6::jsonb else '{}' end
    from finished group by call[3], ${channelOfColumn()} having sum(succeeded + failed) > 0
  )
  select batch_id, is_finished, call from finished`;
const FINISH_CHUNKS = finishChunks('');
const FINISH_TRACED = finishChunks(
  ", (select traceparent from batch_trace where batch_trace.batch_id = batch.id and traceparent like '%1')",
);

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

/** How much of a log line the batches may take, in bytes: log collectors may split lines of more than 16 KiB. */
const MAX_BATCHES_BYTES = 12_000;
const MAX_LOGGED_FAILURES = 20;

/**
 * Logs one line for a transaction: its batches, the numbers of succeeded and failed orders, the causes, and the first
 * failed orders. Batches that don't fit go into further lines. `startedMs`: a time of performance.now.
 */
export function logApplied(
  log: Logger,
  message: string,
  applied: Omit<Applied, 'finishedBatchIds' | 'traceparents'>,
  startedMs: number,
) {
  const { batches, succeeded, failedOrders } = applied;
  const failures = { causes: countCauses(failedOrders), failures: failedOrders.slice(0, MAX_LOGGED_FAILURES) };
  const ms = Math.round(performance.now() - startedMs);
  const orders = succeeded + failedOrders.length;
  const [first = [], ...further] = splitIntoLines(batches);
  log.info(
    { orders, failed: failedOrders.length, ms, ...(failedOrders.length > 0 && failures), batches: first },
    message,
  );
  for (const more of further) log.info({ batches: more }, `${message}, continued`);
}

function splitIntoLines(batches: readonly WorkedBatch[]): WorkedBatch[][] {
  const lines: WorkedBatch[][] = [];
  let left = 0;
  for (const batch of batches) {
    const bytes = Buffer.byteLength(JSON.stringify(batch)) + 1;
    if (bytes > left) {
      lines.push([]);
      left = MAX_BATCHES_BYTES;
    }
    lines.at(-1)!.push(batch);
    left -= bytes;
  }
  return lines;
}
