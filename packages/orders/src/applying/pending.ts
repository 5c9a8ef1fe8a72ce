import { licenseOrderIdOf } from '@lockstep/assets';
import type { BatchId, Channels } from '@lockstep/contract';
import type { Statement, Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { MAX_WEIGHT } from '../accepting/prepare.ts';
import { LOCKED_LANES } from '../lane-locks.ts';
import { channelOf, channelOfColumn, NO_CHANNEL } from '../lanes.ts';
import { NOTHING_SEEN, type OrderWithId } from '../planning/outcome.ts';
import { PayloadFault, type PlacedOrder, readStoredOrders } from '../stored-orders.ts';

/** Chunks of one lane that one drain looks at, at most. */
const MAX_CHUNKS_PER_LANE = 500;

/** The pending orders of a batch that belong to one lane. */
export interface Chunk {
  batchId: BatchId;
  lane: number;
  orders: PlacedOrder[];
  /** The channels that the application which sent them is bound to now; NOTHING_SEEN in lanes of NO_CHANNEL. */
  channels: Channels;
  /** How many orders it was accepted with, and its batch with how many chunks. */
  counts: { orders: number; chunks: number };
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
  /** By lane in which more is pending: the last batch up to which it was read. */
  left: ReadonlyMap<number, bigint>;
  /** What its orders weigh. */
  weight: number;
}

/**
 * A statement that reads the oldest pending chunks of the locked lanes, but for those of paused channels, up to a
 * weight; at least one if there is any. Channels share the weight: none gets more while another one gets less than it
 * has pending. The first chunks of channels may come up to MAX_WEIGHT, so that thousands of channels with an order each
 * are read together. `has_holds`: whether customers of these lanes are held.
 */
export function readingPending(maxWeight: number): Statement<PendingRow> {
  return { name: 'read_pending', text: READ_PENDING, values: [maxWeight] };
}

interface PendingRow extends ChunkRow {
  weight: number;
  /** By lane in which more is pending: the batch at which reading stopped. */
  cuts: Record<string, BatchId> | null;
  has_holds: boolean;
}

/** What a statement of `readingPending` found. */
export function buildPending(rows: readonly PendingRow[]): Pending {
  const cuts = Object.entries(rows[0]?.cuts ?? {});
  const left = new Map(cuts.map(([lane, batchId]) => [Number(lane), BigInt(batchId) - 1n]));
  const weight = rows.reduce((sum, row) => sum + row.weight, 0);
  return { ...readRows(rows), hasHolds: rows[0]?.has_holds ?? false, left, weight };
}

/** Reads what is pending of a batch in some lanes, but for what is held. */
export async function readPendingInBatch(trx: Trx, batchId: BatchId, lanes: readonly number[]): Promise<ReadChunks> {
  const { rows } = await sql<ChunkRow>`
    select ${sql.raw(CHUNK_COLUMNS)}, ${sql.raw(SENDERS_CHANNELS)} from lane_chunk
    where batch_id = ${batchId} and lane = any (${lanes}::int[]) and finished_time is null and not is_held
    order by lane`.execute(trx);
  return readRows(rows);
}

export interface ChunkRow {
  batch_id: BatchId;
  lane: number;
  order_count: number;
  chunk_count: number;
  payload: string;
  payload_version: number;
  channels: string[] | null;
}

/** For a SELECT: what a ChunkRow has of a chunk. */
export const CHUNK_COLUMNS = 'batch_id, lane, order_count, chunk_count, payload, payload_version';

/**
 * For a SELECT with a batch_id: the channels that the application which sent the batch is bound to. Looked up row by
 * row: PostgreSQL would expect many rows of a join, and read all batches there are.
 */
export const SENDERS_CHANNELS = `(
  select application.channels from batch join application on application.id = batch.application_id
  where batch.id = batch_id
) as channels`;

/** SQL: whether the channel of a lane is paused. */
export const isPaused = (lane: string) => `exists (
  select from channel where channel.id = ${channelOfColumn(lane)} and paused_time is not null
)`;

// Chunks are counted in the order of what their channels have with them, so channels that have little come whole, and
// the others get equal shares. Materialized: else a kept plan, made while nothing was pending, would find the cut anew
// for each chunk.
const READ_PENDING = `
  with oldest as (
    select chunk.* from unnest(${LOCKED_LANES}) as wanted (lane) cross join lateral (
      select weight, ${CHUNK_COLUMNS} from lane_chunk
      where lane_chunk.lane = wanted.lane and finished_time is null and not is_held
      order by batch_id limit least($1::int, ${MAX_CHUNKS_PER_LANE}) + 1
    ) as chunk
    where not ${isPaused('wanted.lane')}
  ), shared as (
    select *,
      sum(weight) over (partition by ${channelOfColumn()} order by batch_id, lane) as of_channel,
      row_number() over (partition by lane order by batch_id) as place
    from oldest
  ), counted as (
    select *,
      sum(weight) over (order by of_channel, batch_id, lane) as weight_so_far,
      row_number() over (order by of_channel, batch_id, lane) as turn
    from shared
  ), cut as materialized (
    select lane, min(batch_id) as batch_id from counted
    where place > ${MAX_CHUNKS_PER_LANE}
      or (turn > 1 and weight_so_far > case of_channel when weight then greatest($1::int, ${MAX_WEIGHT}) else $1::int end)
    group by lane
  )
  select weight, ${CHUNK_COLUMNS}, ${SENDERS_CHANNELS},
    (select json_object_agg(lane, batch_id::text) from cut) as cuts,
    exists (select from order_hold where order_hold.lane = any (${LOCKED_LANES})) as has_holds
  from counted
  where not exists (select from cut where cut.lane = counted.lane and cut.batch_id <= counted.batch_id)
  order by batch_id, lane`;

/** Reads the orders in rows of chunks. Chunks that cannot be read are listed apart. */
export function readRows(rows: readonly ChunkRow[]): ReadChunks {
  const chunks: Chunk[] = [];
  const unreadable: UnreadableChunk[] = [];
  for (const { batch_id: batchId, lane, order_count, chunk_count, payload, payload_version, channels: bound } of rows) {
    const counts = { orders: order_count, chunks: chunk_count };
    const channels = channelOf(lane) === NO_CHANNEL ? NOTHING_SEEN : bound;
    try {
      chunks.push({ batchId, lane, orders: readStoredOrders(payload_version, payload), channels, counts });
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
      .flatMap(({ orders, channels }) =>
        orders.map(([index, order]) => ({ licenseOrderId: licenseOrderIdOf(batchId, index), order, channels })),
      )
      .sort((a, b) => a.order.sequence - b.order.sequence),
  );
}
