import { licenseOrderIdOf } from '@lockstep/assets';
import type { BatchId, Channels } from '@lockstep/contract';
import type { Statement, Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { MAX_WEIGHT } from '../accepting/prepare.ts';
import { LOCKED_LANES } from '../lane-locks.ts';
import { channelOfColumn } from '../lanes.ts';
import type { OrderWithId } from '../planning/outcome.ts';
import { PayloadFault, type PlacedOrder, readStoredOrders } from '../stored-orders.ts';

/** How many chunks of one lane a drain reads at most. */
const MAX_CHUNKS_PER_LANE = 500;

/** The pending orders of a batch in one lane. */
export interface Chunk {
  batchId: BatchId;
  lane: number;
  orders: PlacedOrder[];
  /** The current channels of the application that sent the orders. */
  channels: Channels;
  /** With how many orders the chunk was accepted, and its batch with how many chunks. */
  counts: { orders: number; chunks: number };
}

/** A chunk that this release cannot read, and why. It is not changed. */
export interface UnreadableChunk {
  batchId: BatchId;
  lane: number;
  fault: PayloadFault;
}

export interface ReadChunks {
  chunks: Chunk[];
  unreadable: UnreadableChunk[];
}

export interface Pending extends ReadChunks {
  /** Whether customers of these lanes are held. False if nothing is pending. */
  hasHolds: boolean;
  /** Lanes with more pending orders, each with the last batch up to which it was read. */
  left: ReadonlyMap<number, bigint>;
  weight: number;
}

/**
 * A statement that reads the oldest pending chunks of the locked lanes, up to a weight, but at least one. It skips
 * paused channels. Channels share the weight fairly: no channel gets more while another gets less than it has pending.
 * Channels' first chunks may add up to MAX_WEIGHT, so that thousands of channels with one order each are read together.
 * `has_holds`: whether customers of these lanes are held.
 */
export function readingPending(maxWeight: number): Statement<PendingRow> {
  return { name: 'read_pending', text: READ_PENDING, values: [maxWeight] };
}

interface PendingRow extends ChunkRow {
  weight: number;
  /** Lanes with more pending orders, each with the batch at which reading stopped. */
  cuts: Record<string, BatchId> | null;
  has_holds: boolean;
}

export function buildPending(rows: readonly PendingRow[]): Pending {
  const cuts = Object.entries(rows[0]?.cuts ?? {});
  const left = new Map(cuts.map(([lane, batchId]) => [Number(lane), BigInt(batchId) - 1n]));
  const weight = rows.reduce((sum, row) => sum + row.weight, 0);
  return { ...readRows(rows), hasHolds: rows[0]?.has_holds ?? false, left, weight };
}

/** Reads the pending orders of a batch in some lanes, except held ones. */
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

export const CHUNK_COLUMNS = 'batch_id, lane, order_count, chunk_count, payload, payload_version';

/**
 * For a SELECT with a batch_id: the channels of the application that sent the batch. It is looked up row by row: for a
 * join, PostgreSQL would expect many rows and read all batches.
 */
export const SENDERS_CHANNELS = `(
  select application.channels from batch join application on application.id = batch.application_id
  where batch.id = batch_id
) as channels`;

export const isPaused = (lane: string) => `exists (
  select from channel where channel.id = ${channelOfColumn(lane)} and paused_time is not null
)`;

// Chunks are counted by how much their channel has before them, so a channel with little pending is read whole and the
// others get equal shares. `cut` is materialized because a kept plan, made while nothing was pending, would otherwise
// compute it again for each chunk.
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

export function readRows(rows: readonly ChunkRow[]): ReadChunks {
  const chunks: Chunk[] = [];
  const unreadable: UnreadableChunk[] = [];
  for (const { batch_id: batchId, lane, order_count, chunk_count, payload, payload_version, channels } of rows) {
    const counts = { orders: order_count, chunks: chunk_count };
    try {
      chunks.push({ batchId, lane, orders: readStoredOrders(payload_version, payload), channels, counts });
    } catch (error) {
      if (!(error instanceof PayloadFault)) throw error;
      unreadable.push({ batchId, lane, fault: error });
    }
  }
  return { chunks, unreadable };
}

/** Returns the orders of chunks in acceptance order: by batch, and within a batch by sequence (rules 6.2). */
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
