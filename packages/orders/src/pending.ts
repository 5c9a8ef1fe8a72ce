import { licenseOrderIdOf } from '@lockstep/assets';
import type { BatchId, Channels, CustomerId } from '@lockstep/contract';
import { named, type Statement, type Trx } from '@lockstep/platform';
import { type RawBuilder, sql } from 'kysely';
import { LOCKED_LANES } from './lane-locks.ts';
import { laneOf } from './lanes.ts';
import type { OrderWithId } from './outcome.ts';
import { PayloadFault, type PlacedOrder, readStoredOrders } from './stored-orders.ts';

/** Chunks of one lane that one drain looks at, at most. */
const MAX_CHUNKS_PER_LANE = 500;

/** The pending orders of a batch that belong to one lane. */
export interface Chunk {
  batchId: BatchId;
  lane: number;
  orders: PlacedOrder[];
  /** The channels that the application which sent them is bound to now. */
  channels: Channels;
}

/** A chunk that this release cannot read, and why. It stays as it is. */
export interface UnreadableChunk {
  batchId: BatchId;
  lane: number;
  fault: PayloadFault;
}

/** What is pending in some lanes, oldest first. */
export interface Pending {
  chunks: Chunk[];
  unreadable: UnreadableChunk[];
  /** The batch at which reading stopped, which may be read in part; null if nothing is left. */
  cutAtBatchId: BatchId | null;
  /** The last chunk that was read. */
  end: Place;
}

/** A place among chunks, which are in the order of their batches, and of their lanes within a batch. */
export interface Place {
  batchId: BatchId;
  lane: number;
}

/** The place to start from: before the first chunk. */
export const START: Place = { batchId: '0' as BatchId, lane: 0 };

/** What one look at pending chunks covers. */
export interface PendingBounds {
  /** The most weight, beyond the first chunk. */
  maxWeight: number;
  after: Place;
}

/**
 * SQL for a WITH clause. `taken`: the oldest pending chunks of the locked lanes after a place, by batch, up to a weight; at
 * least one if there is any. `cut_at`: the batch at which it stopped; null if nothing is left.
 */
export function takenChunks({ maxWeight, after }: PendingBounds): RawBuilder<unknown> {
  // Materialized: else a kept plan, made while nothing was pending, would find the cut anew for each chunk.
  return sql`
    oldest as (
      select chunk.* from unnest(${LOCKED_LANES}) as wanted (lane) cross join lateral (
        select batch_id, lane, weight, payload, payload_version, succeeded + failed > 0 as begun from lane_chunk
        where lane_chunk.lane = wanted.lane and finished_time is null and batch_id >= ${after.batchId}::bigint
          and (batch_id > ${after.batchId}::bigint or lane > ${after.lane}::int)
        order by batch_id limit ${sql.lit(MAX_CHUNKS_PER_LANE + 1)}
      ) as chunk
    ), counted as (
      select *,
        sum(weight) over (order by batch_id, lane) - weight as weight_before,
        row_number() over (partition by lane order by batch_id) as place
      from oldest
    ), cut as materialized (
      select min(batch_id) as batch_id from counted
      where place > ${sql.lit(MAX_CHUNKS_PER_LANE)} or (weight_before > 0 and weight_before + weight > ${maxWeight}::int)
    ), taken as (
      select counted.*, cut.batch_id as cut_at from counted, cut
      where cut.batch_id is null or counted.batch_id < cut.batch_id
        or (counted.batch_id = cut.batch_id and weight_before = 0)
    )`;
}

/** A statement that reads the oldest pending chunks of the locked lanes, by batch; at least one if there is any. */
export function readingPending(bounds: PendingBounds): Statement<PendingRow> {
  return named(
    'read_pending',
    sql<PendingRow>`
      with ${takenChunks(bounds)}
      select batch_id, lane, payload, payload_version, ${SENDERS_CHANNELS}, cut_at from taken order by batch_id, lane`,
  );
}

interface PendingRow extends ChunkRow {
  cut_at: BatchId | null;
}

/** What a statement of `readingPending` found behind `after`. */
export function buildPending(rows: readonly PendingRow[], after: Place): Pending {
  const last = rows.at(-1);
  const end = last === undefined ? after : { batchId: last.batch_id, lane: last.lane };
  return { ...readRows(rows), cutAtBatchId: last?.cut_at ?? null, end };
}

/** Reads what is pending of one batch. Throws a PayloadFault. */
export async function readPendingInBatch(trx: Trx, batchId: BatchId): Promise<Chunk[]> {
  const { rows } = await sql<ChunkRow>`
    select batch_id, lane, payload, payload_version, ${SENDERS_CHANNELS} from lane_chunk
    where batch_id = ${batchId} and finished_time is null order by lane`.execute(trx);
  const { chunks, unreadable } = readRows(rows);
  if (unreadable[0] !== undefined) throw unreadable[0].fault;
  return chunks;
}

export interface ChunkRow {
  batch_id: BatchId;
  lane: number;
  payload: string;
  payload_version: number;
  channels: string[] | null;
}

/**
 * For a SELECT with a batch_id: the channels that the application which sent the batch is bound to. Looked up row by row:
 * PostgreSQL would expect many rows of a join, and read all batches there are.
 */
export const SENDERS_CHANNELS = sql`(
  select application.channels from batch join application on application.id = batch.application_id
  where batch.id = batch_id
) as channels`;

/** Reads the orders in rows of chunks. Chunks that cannot be read are listed apart. */
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

/** Reads the customers of chunks whose orders cannot be read: their batches name them. */
export async function readCustomerIds(
  trx: Trx,
  chunks: readonly { batchId: BatchId; lane: number }[],
): Promise<CustomerId[]> {
  if (chunks.length === 0) return [];
  const { rows } = await sql<{ id: string; customer_ids: CustomerId[] }>`
    select id, customer_ids from batch where id = any (${chunks.map(({ batchId }) => batchId)}::bigint[])`.execute(trx);
  const customerIds = new Map(rows.map((row) => [row.id, row.customer_ids]));
  return chunks.flatMap(({ batchId, lane }) => customerIds.get(batchId)!.filter((id) => laneOf(id) === lane));
}

/** The orders of chunks, by batch and within a batch by sequence (rules 6.2). */
export function inAcceptanceOrder(chunks: readonly Pick<Chunk, 'batchId' | 'orders' | 'channels'>[]): OrderWithId[] {
  const byBatch = Map.groupBy(chunks, ({ batchId }) => batchId);
  return [...byBatch].flatMap(([batchId, ofBatch]) =>
    ofBatch
      .flatMap(({ orders, channels }) => orders.map(([index, order]) => ({ index, order, channels })))
      .sort((a, b) => a.order.sequence - b.order.sequence)
      .map(({ index, order, channels }) => ({ licenseOrderId: licenseOrderIdOf(batchId, index), order, channels })),
  );
}
