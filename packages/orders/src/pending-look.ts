import { ORDERS_PER_BATCH } from '@lockstep/assets';
import type { BatchId, CustomerId } from '@lockstep/contract';
import { buildRows, type Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { laneOf } from './lanes.ts';
import { type ChunkRow, type Pending, type Place, readRows, SENDERS_CHANNELS, takenChunks } from './pending.ts';

/** The weight of chunks that one look covers at most, beyond its first chunk. */
const MAX_LOOK_WEIGHT = 20_000;

/** A pending chunk whose orders were not read, and the customers who have orders pending in it. */
export interface SeenChunk extends Place {
  weight: number;
  customerIds: CustomerId[];
}

/** What is pending behind a place, without the orders. */
export interface Look {
  /** Oldest first. */
  chunks: SeenChunk[];
  /** The batch at which it stopped, which may be seen in part; null if nothing is left. */
  cutAtBatchId: BatchId | null;
}

/**
 * Looks at the oldest pending chunks of the locked lanes behind a place without reading payloads, because a chunk that has to wait
 * may hold megabytes: customers come from `batch`, finished orders from `license_order`.
 */
export async function lookAtPending(trx: Trx, after: Place): Promise<Look> {
  const { rows } = await sql<LookRow>`
    with ${takenChunks({ maxWeight: MAX_LOOK_WEIGHT, after })}, by_batch as (
      select batch_id, array_agg(lane order by lane) as lanes, array_agg(weight order by lane) as weights,
        bool_or(begun) as begun, min(cut_at) as cut_at
      from taken group by batch_id
    )
    select batch_id, lanes, weights, cut_at, array(
      select distinct customer_id
      from batch cross join unnest(customer_ids) with ordinality as sent (customer_id, place)
      where batch.id = batch_id and (not begun or not exists (
        select from license_order where license_order.id = batch_id * ${ORDERS_PER_BATCH}::int + place - 1
      ))
    ) as customer_ids
    from by_batch order by batch_id`.execute(trx);
  return { chunks: rows.flatMap(buildSeenChunks), cutAtBatchId: rows.at(-1)?.cut_at ?? null };
}

interface LookRow {
  batch_id: BatchId;
  lanes: number[];
  weights: number[];
  cut_at: BatchId | null;
  /** Customers with pending orders in any lane of the batch. */
  customer_ids: CustomerId[];
}

function buildSeenChunks({ batch_id: batchId, lanes, weights, customer_ids }: LookRow): SeenChunk[] {
  const byLane = Map.groupBy(customer_ids, laneOf);
  return lanes.map((lane, index) => ({
    ...{ batchId, lane, weight: weights[index]! },
    customerIds: byLane.get(lane) ?? [],
  }));
}

/**
 * Reads the orders of pending chunks that were seen. Each is looked up by itself: of a join PostgreSQL may expect many rows,
 * and read the partitions of all periods.
 */
export async function readSeen(trx: Trx, seen: readonly Place[]): Promise<Pick<Pending, 'chunks' | 'unreadable'>> {
  if (seen.length === 0) return { chunks: [], unreadable: [] };
  const places = buildRows([
    ['batch_id', 'bigint', seen.map(({ batchId }) => batchId)],
    ['lane', 'smallint', seen.map(({ lane }) => lane)],
  ]);
  const { rows } = await sql<ChunkRow>`
    select batch_id, lane, payload, payload_version, ${SENDERS_CHANNELS}
    from ${places} as seen (batch_id, lane) cross join lateral (
      select payload, payload_version from lane_chunk
      where lane_chunk.batch_id = seen.batch_id and lane_chunk.lane = seen.lane and finished_time is null offset 0
    ) as chunk order by batch_id, lane`.execute(trx);
  return readRows(rows);
}
