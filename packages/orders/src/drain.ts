import type { LedgerIds } from '@lockstep/assets';
import { type Order, Refusal } from '@lockstep/contract';
import { type Database, inTransaction, isDataFault, type Logger, rowsOf, type Trx, together } from '@lockstep/platform';
import { sql } from 'kysely';
import { applyOrders, failed, type Outcome, PlanFault, recordOutcomes } from './apply.ts';
import { licenseOrderIdOf } from './order-ids.ts';
import type { AcceptedOrder } from './plan.ts';

/** The weight of chunks that one drain takes at most, past its first chunk; see weightOf. */
const MAX_WEIGHT = 4_000;
/** The same while orders are applied one by one. */
const MAX_WEIGHT_ONE_BY_ONE = 100;
/** Chunks of one lane that one drain looks at. */
const MAX_CHUNKS_PER_LANE = 500;

/** The advisory lock class of lanes: ('lane', n) locks lane n among all workers. */
const LANE_LOCK = 0x6c616e65;

/** What one drain did. */
export interface Drained {
  succeeded: number;
  failed: number;
  /** Batches of which it finished chunks. */
  batchIds: string[];
  /** The last batch of which nothing is pending in these lanes any more; null where they had nothing more at all. */
  throughBatchId: bigint | null;
}

interface Chunk {
  batchId: string;
  lane: number;
  orders: [index: number, order: Order][];
}

/**
 * Applies the oldest pending orders of some lanes, a bounded number, in one transaction (decisions 6.2).
 *
 * It holds the lanes' locks, so only one drain of a lane runs anywhere, and orders of a lane take effect in acceptance
 * order. Draining again finds what is left. Where a group cannot be applied because of what is in it, its orders are
 * applied one by one, and the one that cannot be applied fails with cause internal_error, so that it does not stop its
 * lane. Throws where PostgreSQL cannot be reached or another transaction kept winning; then nothing has changed.
 */
export async function drainLanes(
  db: Database,
  lanes: readonly number[],
  { ids, log }: { ids: LedgerIds; log: Logger },
): Promise<Drained> {
  try {
    return await drain(db, lanes, MAX_WEIGHT, (trx, orders) => applyOrders(trx, orders, ids));
  } catch (error) {
    if (!isOrdersFault(error)) throw error;
    log.error({ err: error, lanes }, 'orders could not be applied together; applies them one by one');
    return await drain(db, lanes, MAX_WEIGHT_ONE_BY_ONE, (trx, orders) => applyOneByOne(trx, orders, ids, log));
  }
}

/** Whether it lies in the orders themselves, so that trying them again would end the same. */
function isOrdersFault(error: unknown): boolean {
  return isDataFault(error) || error instanceof PlanFault;
}

type Apply = (trx: Trx, orders: AcceptedOrder[]) => Promise<Outcome[]>;

function drain(db: Database, lanes: readonly number[], maxWeight: number, apply: Apply): Promise<Drained> {
  return inTransaction(db, async (trx) => {
    await lockLanes(trx, lanes);
    const { chunks, cutAtBatchId } = await readPending(trx, lanes, maxWeight);
    const outcomes = await apply(trx, inAcceptanceOrder(chunks));
    await together([recordOutcomes(trx, outcomes), finishChunks(trx, chunks, outcomes)]);
    const failures = outcomes.filter(({ failure }) => failure !== null).length;
    return {
      succeeded: outcomes.length - failures,
      failed: failures,
      batchIds: [...new Set(chunks.map(({ batchId }) => batchId))],
      throughBatchId: cutAtBatchId === null ? null : BigInt(cutAtBatchId) - 1n,
    };
  });
}

/** Waits for the lanes, lowest first, so that drains which share lanes do not deadlock. Held until the commit. */
async function lockLanes(trx: Trx, lanes: readonly number[]): Promise<void> {
  const sorted = [...lanes].sort((a, b) => a - b);
  await sql`
    select pg_advisory_xact_lock(${LANE_LOCK}::int, lane) from unnest(${sorted}::int[]) as lane`.execute(trx);
}

/** The oldest pending chunks of the lanes, by batch; at least one where there is any. */
async function readPending(trx: Trx, lanes: readonly number[], maxWeight: number) {
  const { rows } = await sql<{ batch_id: string; lane: number; payload: string; cut_at: string | null }>`
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
  const chunks = rows.map(
    (row): Chunk => ({ batchId: row.batch_id, lane: row.lane, orders: JSON.parse(row.payload) as Chunk['orders'] }),
  );
  return { chunks, cutAtBatchId: rows[0]?.cut_at ?? null };
}

/** A lane's orders by batch, and within a batch by sequence (decisions 6.2). */
function inAcceptanceOrder(chunks: readonly Chunk[]): AcceptedOrder[] {
  const byBatch = Map.groupBy(chunks, ({ batchId }) => batchId);
  return [...byBatch].flatMap(([batchId, ofBatch]) =>
    ofBatch
      .flatMap(({ orders }) => orders)
      .sort(([, a], [, b]) => a.sequence - b.sequence)
      .map(([index, order]) => ({ licenseOrderId: licenseOrderIdOf(batchId, index), order })),
  );
}

/** Applies each order behind a savepoint; one that PostgreSQL or the plan chokes on fails alone. */
async function applyOneByOne(trx: Trx, orders: AcceptedOrder[], ids: LedgerIds, log: Logger): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const accepted of orders) {
    await sql`savepoint one_order`.execute(trx);
    try {
      outcomes.push(...(await applyOrders(trx, [accepted], ids)));
    } catch (error) {
      if (!isOrdersFault(error)) throw error;
      await sql`rollback to savepoint one_order`.execute(trx);
      log.error({ err: error, licenseOrderId: accepted.licenseOrderId }, 'order failed with internal_error');
      outcomes.push(failed(accepted, new Refusal('internal_error')));
    }
    await sql`release savepoint one_order`.execute(trx);
  }
  return outcomes;
}

async function finishChunks(trx: Trx, chunks: Chunk[], outcomes: Outcome[]): Promise<void> {
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
    update lane_chunk set payload = null, finished_time = statement_timestamp(),
      succeeded = order_count - done.failed, failed = done.failed
    from ${done} as done (batch_id, lane, failed)
    where lane_chunk.batch_id = done.batch_id and lane_chunk.lane = done.lane and finished_time is null`.execute(trx);
  if (numAffectedRows !== BigInt(chunks.length)) throw new Error('A chunk was finished by somebody else');
}
