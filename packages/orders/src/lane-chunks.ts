import { licenseOrderIdOf } from '@lockstep/assets';
import type { Channels } from '@lockstep/contract';
import { buildRows, type Trx, together } from '@lockstep/platform';
import { type RawBuilder, sql } from 'kysely';
import type { Outcome } from './apply.ts';
import { laneOf } from './lanes.ts';
import { PAYLOAD_VERSION } from './order-text.ts';
import type { AcceptedOrder } from './plan.ts';
import { PayloadFault, type PlacedOrder, readStoredOrders, storedOrders } from './stored-orders.ts';
import type { WorkedBatch } from './work-log.ts';

/** The advisory lock class of lanes: ('lane', n) locks lane n among all workers. */
const LANE_LOCK = 0x6c616e65;

/** Chunks of one lane that one drain looks at. */
const MAX_CHUNKS_PER_LANE = 500;

/** The pending orders of a batch that belong to one lane. */
export interface Chunk {
  batchId: string;
  lane: number;
  orders: PlacedOrder[];
  /** What the application that sent them is bound to now. */
  channels: Channels;
}

/** A chunk that this release cannot read, and why; it stays as it is. */
export interface UnreadableChunk {
  batchId: string;
  lane: number;
  fault: PayloadFault;
}

/** What is pending in some lanes, oldest first. */
export interface Pending {
  chunks: Chunk[];
  unreadable: UnreadableChunk[];
  /** The batch at which reading stopped, which may be read in part; null where nothing is left. */
  cutAtBatchId: string | null;
  /** The last chunk that was read. */
  end: Place;
}

/** A place among chunks, which are in the order of their batches, and of their lanes within a batch. */
export interface Place {
  batchId: string;
  lane: number;
}

/** Before all chunks. */
export const START: Place = { batchId: '0', lane: 0 };

/**
 * Waits for the lanes, lowest first, so that drains which share lanes do not deadlock. Held until the commit. It waits for
 * each up to `timeoutMs`, without it as long as for any lock of this connection; then PostgreSQL's lock_not_available.
 */
export async function lockLanes(trx: Trx, lanes: readonly number[], timeoutMs?: number): Promise<void> {
  const sorted = [...lanes].sort((a, b) => a - b);
  const lock = sql`select pg_advisory_xact_lock(${LANE_LOCK}::int, lane) from unnest(${sorted}::int[]) as lane`;
  if (timeoutMs === undefined) return void (await lock.execute(trx));
  await together([
    sql`select set_config('lock_timeout', ${String(timeoutMs)}, true)`.execute(trx),
    lock.execute(trx),
    sql`set local lock_timeout to default`.execute(trx),
  ]);
}

/**
 * For a WITH: `taken`, the oldest pending chunks of the lanes behind a place, by batch, up to a weight; at least one where
 * there is any. `cut_at` is the batch at which it stopped, null where nothing is left.
 */
export function takenChunks(
  lanes: readonly number[],
  { maxWeight, after }: { maxWeight: number; after: Place },
): RawBuilder<unknown> {
  return sql`
    oldest as (
      select chunk.* from unnest(${lanes}::smallint[]) as wanted (lane) cross join lateral (
        select batch_id, lane, weight, payload, payload_version, succeeded + failed > 0 as begun from lane_chunk
        where lane_chunk.lane = wanted.lane and finished_time is null and batch_id >= ${after.batchId}
          and (batch_id > ${after.batchId} or lane > ${after.lane})
        order by batch_id limit ${MAX_CHUNKS_PER_LANE + 1}
      ) as chunk
    ), counted as (
      select *,
        sum(weight) over (order by batch_id, lane) - weight as weight_before,
        row_number() over (partition by lane order by batch_id) as place
      from oldest
    ), cut as (
      select min(batch_id) as batch_id from counted
      where place > ${MAX_CHUNKS_PER_LANE} or (weight_before > 0 and weight_before + weight > ${maxWeight})
    ), taken as (
      select counted.*, cut.batch_id as cut_at from counted, cut
      where cut.batch_id is null or counted.batch_id < cut.batch_id
        or (counted.batch_id = cut.batch_id and weight_before = 0)
    )`;
}

/** The oldest pending chunks of the lanes behind a place, by batch; at least one where there is any. */
export async function readPending(
  trx: Trx,
  lanes: readonly number[],
  bounds: { maxWeight: number; after: Place },
): Promise<Pending> {
  const { rows } = await sql<ChunkRow & { cut_at: string | null }>`
    with ${takenChunks(lanes, bounds)}
    select batch_id, lane, payload, payload_version, ${SENDERS_CHANNELS}, cut_at from taken order by batch_id, lane`.execute(
    trx,
  );
  const last = rows.at(-1);
  const end = last === undefined ? bounds.after : { batchId: last.batch_id, lane: last.lane };
  return { ...readRows(rows), cutAtBatchId: last?.cut_at ?? null, end };
}

/** What is pending of one batch. Throws a PayloadFault. */
export async function readPendingOf(trx: Trx, batchId: string): Promise<Chunk[]> {
  const { rows } = await sql<ChunkRow>`
    select batch_id, lane, payload, payload_version, ${SENDERS_CHANNELS} from lane_chunk
    where batch_id = ${batchId} and finished_time is null order by lane`.execute(trx);
  const { chunks, unreadable } = readRows(rows);
  if (unreadable[0] !== undefined) throw unreadable[0].fault;
  return chunks;
}

export interface ChunkRow {
  batch_id: string;
  lane: number;
  payload: string;
  payload_version: number;
  channels: string[] | null;
}

/**
 * For a SELECT with a batch_id: what the application that sent the batch is bound to. Looked up row by row: of a join
 * PostgreSQL thinks that it is of many rows, and reads all batches there are.
 */
export const SENDERS_CHANNELS = sql`(
  select application.channels from batch join application on application.id = batch.application_id
  where batch.id = batch_id
) as channels`;

/** Reads stored chunks; those that cannot be read are told apart. */
export function readRows(rows: readonly ChunkRow[]): Pick<Pending, 'chunks' | 'unreadable'> {
  const chunks: Chunk[] = [];
  const unreadable: UnreadableChunk[] = [];
  for (const { batch_id: batchId, lane, payload, payload_version, channels } of rows) {
    try {
      chunks.push({ batchId, lane, orders: readStoredOrders(payload_version, payload), channels });
    } catch (error) {
      if (!(error instanceof PayloadFault)) throw error;
      unreadable.push({ batchId, lane, fault: error });
    }
  }
  return { chunks, unreadable };
}

/** The customers of chunks that cannot be read, as their batches say. */
export async function customersOf(trx: Trx, chunks: readonly { batchId: string; lane: number }[]): Promise<string[]> {
  if (chunks.length === 0) return [];
  const { rows } = await sql<{ id: string; customer_ids: string[] }>`
    select id, customer_ids from batch where id = any (${chunks.map(({ batchId }) => batchId)}::bigint[])`.execute(trx);
  const customerIds = new Map(rows.map((row) => [row.id, row.customer_ids]));
  return chunks.flatMap(({ batchId, lane }) => customerIds.get(batchId)!.filter((id) => laneOf(id) === lane));
}

/** A lane's orders by batch, and within a batch by sequence (decisions 6.2). */
export function inAcceptanceOrder(chunks: readonly Pick<Chunk, 'batchId' | 'orders' | 'channels'>[]): AcceptedOrder[] {
  const byBatch = Map.groupBy(chunks, ({ batchId }) => batchId);
  return [...byBatch].flatMap(([batchId, ofBatch]) =>
    ofBatch
      .flatMap(({ orders, channels }) => orders.map(([index, order]) => ({ index, order, channels })))
      .sort((a, b) => a.order.sequence - b.order.sequence)
      .map(({ index, order, channels }) => ({ licenseOrderId: licenseOrderIdOf(batchId, index), order, channels })),
  );
}

/** What finishOrders has done: batches in which it finished orders, and customers whose orders are left. */
interface Finished {
  batches: WorkedBatch[];
  leftCustomerIds: ReadonlySet<string>;
}

/**
 * Takes the orders that have their outcome off the chunks, and finishes those of which nothing is left. Throws where one
 * was finished by somebody else.
 */
export async function finishOrders(
  trx: Trx,
  chunks: readonly Chunk[],
  outcomes: readonly Outcome[],
): Promise<Finished> {
  const isFailed = new Map(outcomes.map(({ accepted, failure }) => [accepted.licenseOrderId, failure !== null]));
  const leftCustomerIds = new Set<string>();
  const finished = chunks.flatMap(({ batchId, lane, orders }) => {
    const left: PlacedOrder[] = [];
    let failed = 0;
    for (const placed of orders) {
      const outcome = isFailed.get(licenseOrderIdOf(batchId, placed[0]));
      if (outcome === undefined) left.push(placed);
      else if (outcome) failed++;
    }
    for (const [, order] of left) leftCustomerIds.add(order.customerId);
    if (left.length === orders.length) return [];
    const payload = left.length === 0 ? null : storedOrders(left);
    return [{ batchId, lane, payload, failed, succeeded: orders.length - left.length - failed }];
  });
  if (finished.length === 0) return { batches: [], leftCustomerIds };
  const done = buildRows([
    ['batch_id', 'bigint', finished.map(({ batchId }) => batchId)],
    ['lane', 'smallint', finished.map(({ lane }) => lane)],
    ['payload', 'text', finished.map(({ payload }) => payload)],
    ['succeeded', 'integer', finished.map(({ succeeded }) => succeeded)],
    ['failed', 'integer', finished.map(({ failed }) => failed)],
  ]);
  // Of each batch its call as well, row by row in its index: a join might read all that there are.
  const { rows } = await sql<{ batch_id: string; call: [channelOrderId: string, requestId: string | null] }>`
    update lane_chunk set payload = done.payload, payload_version = ${PAYLOAD_VERSION},
      succeeded = lane_chunk.succeeded + done.succeeded,
      failed = lane_chunk.failed + done.failed,
      finished_time = case when done.payload is null then greatest(accepted_time, statement_timestamp()) end
    from ${done} as done (batch_id, lane, payload, succeeded, failed)
    where lane_chunk.batch_id = done.batch_id and lane_chunk.lane = done.lane and finished_time is null
    returning lane_chunk.batch_id,
      (select array[channel_order_id, request_id] from batch where id = lane_chunk.batch_id) as call`.execute(trx);
  if (rows.length !== finished.length) throw new Error('A chunk was finished by somebody else');
  const calls = new Map(rows.map(({ batch_id, call }) => [batch_id, call]));
  const batches = [...Map.groupBy(finished, ({ batchId }) => batchId)].map(([batchId, chunks]) => {
    const [channelOrderId, requestId] = calls.get(batchId)!;
    const orders = chunks.reduce((sum, { succeeded, failed }) => sum + succeeded + failed, 0);
    return { batchId, channelOrderId, requestId, orders };
  });
  return { batches, leftCustomerIds };
}
