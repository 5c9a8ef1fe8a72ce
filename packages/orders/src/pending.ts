import { licenseOrderIdOf } from '@lockstep/assets';
import type { BatchId, Channels } from '@lockstep/contract';
import type { Statement, Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { LOCKED_LANES } from './lane-locks.ts';
import { channelOf, NO_CHANNEL } from './lanes.ts';
import { NOTHING_SEEN, type OrderWithId } from './outcome.ts';
import { PayloadFault, type PlacedOrder, readStoredOrders } from './stored-orders.ts';

/** Chunks of one lane that one drain looks at, at most. */
const MAX_CHUNKS_PER_LANE = 500;

/** The pending orders of a batch that belong to one lane. */
export interface Chunk {
  batchId: BatchId;
  lane: number;
  orders: PlacedOrder[];
  /** The channels that the application which sent them is bound to now; NOTHING_SEEN in lanes of NO_CHANNEL. */
  channels: Channels;
}

/** A chunk that this release cannot read, and why. It stays as it is. */
export interface UnreadableChunk {
  batchId: BatchId;
  lane: number;
  fault: PayloadFault;
}

/** Chunks as they were read. */
export interface ReadChunks {
  chunks: Chunk[];
  unreadable: UnreadableChunk[];
}

/** What is pending in some lanes, oldest first. */
export interface Pending extends ReadChunks {
  /** Whether customers of these lanes are held; if nothing is pending, false. */
  hasHolds: boolean;
  /** The batch at which reading stopped, which may be read in part; null if nothing is left. */
  cutAtBatchId: BatchId | null;
  /** What its orders weigh. */
  weight: number;
}

/**
 * A statement that reads the oldest pending chunks of the locked lanes, by batch, up to a weight; at least one if there is
 * any. `has_holds`: whether customers of these lanes are held.
 */
export function readingPending(maxWeight: number): Statement<PendingRow> {
  return { name: 'read_pending', text: READ_PENDING, values: [maxWeight] };
}

interface PendingRow extends ChunkRow {
  weight: number;
  cut_at: BatchId | null;
  has_holds: boolean;
}

/** What a statement of `readingPending` found. */
export function buildPending(rows: readonly PendingRow[]): Pending {
  const cutAtBatchId = rows[0]?.cut_at ?? null;
  const weight = rows.reduce((sum, row) => sum + row.weight, 0);
  return { ...readRows(rows), hasHolds: rows[0]?.has_holds ?? false, cutAtBatchId, weight };
}

/** Reads what is pending of a batch in some lanes, but for what is held. */
export async function readPendingInBatch(trx: Trx, batchId: BatchId, lanes: readonly number[]): Promise<ReadChunks> {
  const { rows } = await sql<ChunkRow>`
    select batch_id, lane, payload, payload_version, ${sql.raw(SENDERS_CHANNELS)} from lane_chunk
    where batch_id = ${batchId} and lane = any (${lanes}::int[]) and finished_time is null and not is_held
    order by lane`.execute(trx);
  return readRows(rows);
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
export const SENDERS_CHANNELS = `(
  select application.channels from batch join application on application.id = batch.application_id
  where batch.id = batch_id
) as channels`;

// Materialized: else a kept plan, made while nothing was pending, would find the cut anew for each chunk.
const READ_PENDING = `
  with oldest as (
    select chunk.* from unnest(${LOCKED_LANES}) as wanted (lane) cross join lateral (
      select batch_id, lane, weight, payload, payload_version from lane_chunk
      where lane_chunk.lane = wanted.lane and finished_time is null and not is_held
      order by batch_id limit ${MAX_CHUNKS_PER_LANE + 1}
    ) as chunk
  ), counted as (
    select *,
      sum(weight) over (order by batch_id, lane) - weight as weight_before,
      row_number() over (partition by lane order by batch_id) as place
    from oldest
  ), cut as materialized (
    select min(batch_id) as batch_id from counted
    where place > ${MAX_CHUNKS_PER_LANE} or (weight_before > 0 and weight_before + weight > $1::int)
  ), taken as (
    select counted.*, cut.batch_id as cut_at from counted, cut
    where cut.batch_id is null or counted.batch_id < cut.batch_id
      or (counted.batch_id = cut.batch_id and weight_before = 0)
  )
  select batch_id, lane, weight, payload, payload_version, ${SENDERS_CHANNELS}, cut_at,
    exists (select from order_hold where order_hold.lane = any (${LOCKED_LANES})) as has_holds
  from taken order by batch_id, lane`;

/** Reads the orders in rows of chunks. Chunks that cannot be read are listed apart. */
export function readRows(rows: readonly ChunkRow[]): ReadChunks {
  const chunks: Chunk[] = [];
  const unreadable: UnreadableChunk[] = [];
  for (const { batch_id: batchId, lane, payload, payload_version, channels: bound } of rows) {
    const channels = channelOf(lane) === NO_CHANNEL ? NOTHING_SEEN : bound;
    try {
      chunks.push({ batchId, lane, orders: readStoredOrders(payload_version, payload), channels });
    } catch (error) {
      if (!(error instanceof PayloadFault)) throw error;
      unreadable.push({ batchId, lane, fault: error });
    }
  }
  return { chunks, unreadable };
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
