import { ORDERS_PER_BATCH, splitOrderId } from '@lockstep/assets';
import type { BatchId, CustomerId, LicenseOrderId } from '@lockstep/contract';
import { type Database, inTransaction, type Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { type ChunkBack, lockBatches, reopenBatches } from './end-batches.ts';
import { readAgain } from './holds.ts';
import { lockLanes } from './lane-locks.ts';
import { laneOf } from './lanes.ts';
import { weighOrder } from './prepare.ts';
import { readStoredOrders, writeStoredOrders } from './stored-orders.ts';

/** Orders that one transaction puts back, unless the last batch has more: those of a batch come back together. */
const ORDERS_AT_ONCE = 500;

/** What retryFailedOrders has done. */
interface Retried {
  /** Orders that are pending again. */
  retried: number;
  /** Orders that stay failed, because their content is not kept. */
  contentLost: number;
}

/**
 * Puts orders that ended with internal_error back as pending (rules 9), and opens their batches again. Each order takes its
 * place again, by batch and sequence, before later pending orders of its customer, and the sweep of a worker finds it. A
 * failure is put back once, however many callers try at the same time, and leaves a record in order_retry.
 */
export async function retryFailedOrders(
  db: Database,
  licenseOrderIds: readonly LicenseOrderId[],
  record: RecordRetried = async () => {},
): Promise<Retried> {
  const total: Retried = { retried: 0, contentLost: 0 };
  for (let after = '0'; ; ) {
    const found = await findFailed(db, after, licenseOrderIds);
    const last = found.at(-1);
    if (last === undefined) return total;
    const kept = found.filter(({ isKept }) => isKept);
    if (kept.length > 0) total.retried += await inTransaction(db, (trx) => putBack(trx, kept, record));
    total.contentLost += found.length - kept.length;
    after = last.id;
  }
}

/** Records which orders are put back, in the transaction that does. */
type RecordRetried = (trx: Trx, backIds: readonly LicenseOrderId[]) => Promise<void>;

interface FailedOrder {
  id: LicenseOrderId;
  customerId: CustomerId;
  isKept: boolean;
}

async function findFailed(
  db: Database,
  after: string,
  licenseOrderIds: readonly LicenseOrderId[],
): Promise<FailedOrder[]> {
  const failed = sql`cause = 'internal_error' and id > ${after}::bigint and id = any (${licenseOrderIds}::bigint[])`;
  const { rows } = await sql<FailedOrder>`
    with first as (select id from license_order where ${failed} order by id limit ${ORDERS_AT_ONCE})
    select id, customer_id as "customerId", license_order_id is not null as "isKept"
    from license_order left join failed_order on license_order_id = id
    where ${failed} and id < (select max(id) / ${ORDERS_PER_BATCH} + 1 from first) * ${ORDERS_PER_BATCH}
    order by id`.execute(db);
  return rows;
}

/** Locks the lanes of these orders and their batches, puts back those that are still failed then, and returns how many. */
async function putBack(trx: Trx, orders: readonly FailedOrder[], record: RecordRetried): Promise<number> {
  await lockLanes(trx, [...new Set(orders.map(({ customerId }) => laneOf(customerId)))]);
  await lockBatches(trx, [...new Set(orders.map(({ id }) => splitOrderId(id).batchId))]);
  const { rows } = await sql<{ id: LicenseOrderId; customer_id: CustomerId; payload_version: number; content: string }>`
    select id, customer_id, payload_version, content from failed_order join license_order on id = license_order_id
    where id = any (${orders.map(({ id }) => id)}::bigint[]) and cause = 'internal_error' order by id`.execute(trx);
  if (rows.length === 0) return 0;
  const backIds = rows.map(({ id }) => id);
  await sql`
    insert into order_retry (license_order_id, cause, message, finished_time)
    select id, cause, message, finished_time from license_order where id = any (${backIds}::bigint[]) order by id`.execute(
    trx,
  );
  await sql`delete from license_order where id = any (${backIds}::bigint[])`.execute(trx);
  await sql`delete from failed_order where license_order_id = any (${backIds}::bigint[])`.execute(trx);
  const placed = rows.map(({ id, customer_id, payload_version, content }) => ({
    ...{ batchId: splitOrderId(id).batchId, lane: laneOf(customer_id), characters: content.length },
    order: readStoredOrders(payload_version, content)[0]!,
  }));
  const chunks: ChunkBack[] = [];
  for (const ofChunk of Map.groupBy(placed, ({ batchId, lane }) => `${batchId} ${lane}`).values()) {
    const { batchId, lane } = ofChunk[0]!;
    const orders = [...(await readPending(trx, batchId, lane)), ...ofChunk.map(({ order }) => order)];
    const weight = ofChunk.reduce((sum, { order, characters }) => sum + weighOrder(order[1], characters), 0);
    chunks.push({ batchId, lane, orderCount: ofChunk.length, weight, payload: writeStoredOrders(orders) });
  }
  await reopenBatches(trx, chunks);
  await record(trx, backIds);
  return rows.length;
}

/**
 * Reads what a chunk holds. The orders of one that could not be read are held already: if it can be read now, they leave it.
 * Throws a PayloadFault if it still cannot.
 */
async function readPending(trx: Trx, batchId: BatchId, lane: number) {
  const { rows } = await sql<{ payload_version: number; payload: string; is_unread: boolean }>`
    select payload_version, payload, exists (
      select from held_order where held_order.batch_id = lane_chunk.batch_id and held_order.lane = lane_chunk.lane
        and content is null
    ) as is_unread
    from lane_chunk where batch_id = ${batchId} and lane = ${lane} and payload is not null`.execute(trx);
  const [chunk] = rows;
  if (chunk === undefined) return [];
  if (!chunk.is_unread) return readStoredOrders(chunk.payload_version, chunk.payload);
  await readAgain(trx, { batchId, lane });
  return [];
}
