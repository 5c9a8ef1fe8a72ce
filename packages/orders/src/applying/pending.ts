import { licenseOrderIdOf } from '@lockstep/assets';
import type { BatchId, Channels, CustomerId } from '@lockstep/contract';
import { jsonKeys, type Statement, type Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { isPaused } from '../channels/pauses.ts';
import { LOCKED_LANES } from '../lanes.ts';
import type { OrderWithId } from '../planning/order.ts';
import { PayloadFault, type PlacedOrder, readStoredOrders } from '../stored-orders.ts';

/** The weight of orders that a worker's transaction takes at most, beyond its first chunk or first held order. */
export const MAX_WEIGHT = 250;
/** How many chunks a drain reads at most. */
const MAX_CHUNKS = 500;

/** The pending orders of a batch in one lane. */
export interface Chunk {
  batchId: BatchId;
  lane: number;
  orders: PlacedOrder[];
  /** The current channels of the application that sent the orders. */
  channels: Channels;
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
  /** For each lane that has orders: the weight of those that were read, and whether there are more. */
  lanes: ReadonlyMap<number, { weight: number; hasMore: boolean }>;
}

/**
 * A statement that reads the oldest pending chunks of the locked lanes, up to a weight, but at least one. It skips
 * paused channels. Lanes share the weight fairly: no lane gets more while another gets less than it has pending.
 * `ahead`: only chunks with such orders. Each weighs as much as an average customer of it, but it is read whole.
 */
export function pendingChunks(maxWeight: number, ahead?: Ahead): Statement<PendingRow> {
  if (ahead === undefined) return { name: 'read_pending', text: READ_PENDING, values: [maxWeight] };
  const { customerIds, through } = ahead;
  return { name: 'read_ahead', text: READ_AHEAD, values: [maxWeight, jsonKeys(customerIds), through] };
}

/** The orders that a sync call must not overtake: those of its customers in batches up to one. */
export interface Ahead {
  customerIds: ReadonlySet<CustomerId>;
  through: BatchId;
}

interface PendingRow extends ChunkRow {
  weight: number;
  has_more: boolean;
  has_holds: boolean;
}

export function buildPending(rows: readonly PendingRow[]): Pending {
  const lanes = new Map<number, { weight: number; hasMore: boolean }>();
  for (const { lane, weight, has_more: hasMore } of rows) {
    lanes.set(lane, { weight: (lanes.get(lane)?.weight ?? 0) + weight, hasMore });
  }
  return { ...readRows(rows), hasHolds: rows[0]?.has_holds ?? false, lanes };
}

/** Reads the pending orders of a batch in some lanes, except held ones. */
export async function readPendingInBatch(trx: Trx, batchId: BatchId, lanes: readonly number[]): Promise<ReadChunks> {
  const { rows } = await sql<ChunkRow>`
    select ${sql.raw(CHUNK_COLUMNS)}, ${sql.raw(SENDERS_CHANNELS)} from lane_chunk
    where batch_id = ${batchId} and lane = any (${lanes}::int[]) and finished_time is null and not is_held
    order by lane`.execute(trx);
  return readRows(rows);
}

interface ChunkRow {
  batch_id: BatchId;
  lane: number;
  payload: string;
  payload_version: number;
  channels: string[] | null;
}

const CHUNK_COLUMNS = 'batch_id, lane, payload, payload_version';

/**
 * For a SELECT with a batch_id: the channels of the application that sent the batch. It is looked up row by row: for a
 * join, PostgreSQL would expect many rows and read all batches.
 */
export const SENDERS_CHANNELS = `(
  select application.channels from batch join application on application.id = batch.application_id
  where batch.id = batch_id
) as channels`;

// Chunks are counted by how much their lane has before them, so a lane with little pending is read whole and the others
// get equal shares.
const readPending = (weight: string, isWanted: string) => `
  with oldest as (
    select chunk.*, sum(weight) over (partition by chunk.lane order by batch_id) as of_lane
    from unnest(${LOCKED_LANES}) as wanted (lane) cross join lateral (
      select ${weight} as weight, ${CHUNK_COLUMNS} from lane_chunk
      where lane_chunk.lane = wanted.lane and ${isWanted}
      order by batch_id limit greatest(1, ${MAX_CHUNKS} / greatest(1, cardinality(${LOCKED_LANES})))
    ) as chunk
    where not ${isPaused('wanted.lane')}
  ), counted as (
    select *, sum(weight) over by_share as so_far, row_number() over by_share as place
    from oldest window by_share as (order by of_lane, batch_id, lane)
  ), judged as (
    select *, place = 1 or so_far <= $1::int as is_taken from counted
  )
  select weight, ${CHUNK_COLUMNS}, ${SENDERS_CHANNELS},
    lane in (select lane from judged where not is_taken) as has_more,
    exists (select from order_hold where order_hold.lane = any (${LOCKED_LANES})) as has_holds
  from judged where is_taken
  order by batch_id, lane`;

const READ_PENDING = readPending('weight', 'finished_time is null and not is_held');
const IS_AHEAD = 'finished_time is null and not is_held and batch_id <= $3::bigint and $2::jsonb ?| customer_ids';
/** How much a drain before a sync call may read beyond what it applies. */
const READ_FACTOR = 8;
const READ_AHEAD = readPending(`greatest(1, weight / cardinality(customer_ids), weight / ${READ_FACTOR})`, IS_AHEAD);

function readRows(rows: readonly ChunkRow[]): ReadChunks {
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

/** A statement that finds which lanes have pending orders, except held ones. */
export const findingPending = (lanes: readonly number[]): Statement<{ lane: number }> => ({
  name: 'find_pending',
  text: `
    select wanted.lane from unnest((select $1::int[])) as wanted (lane) cross join lateral (
      select from lane_chunk
      where lane_chunk.lane = wanted.lane and finished_time is null and not is_held order by batch_id limit 1
    ) as pending`,
  values: [lanes],
});

/** A statement that finds the newest batch with orders that a sync call must not overtake; null if there are none. */
export const findingAhead = (
  lanes: readonly number[],
  { customerIds, through }: Ahead,
): Statement<{ newest: BatchId | null }> => ({
  name: 'find_ahead',
  text: `
    select max(chunk.batch_id) as newest from unnest((select $1::int[])) as wanted (lane) cross join lateral (
      select batch_id from lane_chunk where lane_chunk.lane = wanted.lane and ${IS_AHEAD} offset 0
    ) as chunk`,
  values: [lanes, jsonKeys(customerIds), through],
});
