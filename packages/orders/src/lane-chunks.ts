import { licenseOrderIdOf } from '@lockstep/assets';
import type { Order } from '@lockstep/contract';
import { rowsOf, type Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import type { Outcome } from './apply.ts';
import type { AcceptedOrder } from './plan.ts';

/** The advisory lock class of lanes: ('lane', n) locks lane n among all workers. */
const LANE_LOCK = 0x6c616e65;

/** Chunks of one lane that one drain looks at. */
const MAX_CHUNKS_PER_LANE = 500;

/** The pending orders of a batch that belong to one lane. */
export interface Chunk {
  batchId: string;
  lane: number;
  orders: [index: number, order: Order][];
}

/** Waits for the lanes, lowest first, so that drains which share lanes do not deadlock. Held until the commit. */
export async function lockLanes(trx: Trx, lanes: readonly number[]): Promise<void> {
  const sorted = [...lanes].sort((a, b) => a - b);
  await sql`
    select pg_advisory_xact_lock(${LANE_LOCK}::int, lane) from unnest(${sorted}::int[]) as lane`.execute(trx);
}

/** The oldest pending chunks of the lanes, by batch; at least one where there is any. */
export async function readPending(trx: Trx, lanes: readonly number[], maxWeight: number) {
  const { rows } = await sql<ChunkRow & { cut_at: string | null }>`
    with oldest as (
      select chunk.* from unnest(${lanes}::smallint[]) as wanted (lane) cross join lateral (
        select batch_id, lane, weight, payload from lane_chunk
        where lane_chunk.lane = wanted.lane and finished_time is null
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
    )
    select counted.batch_id, lane, payload, cut.batch_id as cut_at from counted, cut
    where cut.batch_id is null or counted.batch_id < cut.batch_id
      or (counted.batch_id = cut.batch_id and weight_before = 0)
    order by counted.batch_id, lane`.execute(trx);
  return { chunks: rows.map(chunkOf), cutAtBatchId: rows[0]?.cut_at ?? null };
}

/** What is pending of one batch. */
export async function readPendingOf(trx: Trx, batchId: string): Promise<Chunk[]> {
  const { rows } = await sql<ChunkRow>`
    select batch_id, lane, payload from lane_chunk where batch_id = ${batchId} and finished_time is null
    order by lane`.execute(trx);
  return rows.map(chunkOf);
}

interface ChunkRow {
  batch_id: string;
  lane: number;
  payload: string;
}

function chunkOf(row: ChunkRow): Chunk {
  return { batchId: row.batch_id, lane: row.lane, orders: JSON.parse(row.payload) as Chunk['orders'] };
}

/** A lane's orders by batch, and within a batch by sequence (decisions 6.2). */
export function inAcceptanceOrder(chunks: readonly Pick<Chunk, 'batchId' | 'orders'>[]): AcceptedOrder[] {
  const byBatch = Map.groupBy(chunks, ({ batchId }) => batchId);
  return [...byBatch].flatMap(([batchId, ofBatch]) =>
    ofBatch
      .flatMap(({ orders }) => orders)
      .sort(([, a], [, b]) => a.sequence - b.sequence)
      .map(([index, order]) => ({ licenseOrderId: licenseOrderIdOf(batchId, index), order })),
  );
}

/** Marks chunks as finished, with how many of their orders failed. Throws where one was finished already. */
export async function finishChunks(trx: Trx, chunks: readonly Chunk[], outcomes: readonly Outcome[]): Promise<void> {
  if (chunks.length === 0) return;
  const failedIds = new Set(
    outcomes.filter(({ failure }) => failure !== null).map(({ accepted }) => accepted.licenseOrderId),
  );
  const failures = chunks.map(
    ({ batchId, orders }) => orders.filter(([index]) => failedIds.has(licenseOrderIdOf(batchId, index))).length,
  );
  const done = rowsOf([
    ['batch_id', 'bigint', chunks.map(({ batchId }) => batchId)],
    ['lane', 'smallint', chunks.map(({ lane }) => lane)],
    ['failed', 'integer', failures],
  ]);
  const { numAffectedRows } = await sql`
    update lane_chunk set payload = null, finished_time = greatest(accepted_time, statement_timestamp()),
      succeeded = order_count - done.failed, failed = done.failed
    from ${done} as done (batch_id, lane, failed)
    where lane_chunk.batch_id = done.batch_id and lane_chunk.lane = done.lane and finished_time is null`.execute(trx);
  if (numAffectedRows !== BigInt(chunks.length)) throw new Error('A chunk was finished by somebody else');
}
