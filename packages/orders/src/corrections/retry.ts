import { splitOrderId } from '@lockstep/assets';
import type { BatchId, Cause, CustomerId, LicenseOrderId } from '@lockstep/contract';
import { type Database, inTransaction, type Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { weighOrder } from '../accepting/prepare.ts';
import { type ChunkBack, lockBatches, reopenBatches } from '../completion/complete-batches.ts';
import { findLanes, lockLanes } from '../lanes.ts';
import { readStoredOrders, writeStoredOrders } from '../stored-orders.ts';

interface Retried {
  retried: number;
  notRetried: NotRetried[];
}

interface NotRetried {
  licenseOrderId: LicenseOrderId;
  /** `content_expired`: failed with internal_error, and its content has been deleted. */
  reason: 'order_not_found' | 'pending' | 'succeeded' | 'failed' | 'content_expired';
  cause: Cause | null;
}

/**
 * Makes orders that failed with internal_error pending again (rules 9) and reopens their batches, in one transaction.
 * Each order gets its old place, by batch and sequence, before later pending orders of its customer; the sweep finds
 * it. A failure is put back once, even if several callers try at the same time, and is recorded in order_retry.
 */
export async function retryFailedOrders(
  db: Database,
  licenseOrderIds: readonly LicenseOrderId[],
  record: RecordRetried = async () => {},
): Promise<Retried> {
  const backIds = new Set(await inTransaction(db, (trx) => putBack(trx, licenseOrderIds, record)));
  const left = new Set(licenseOrderIds.filter((id) => !backIds.has(id)));
  return { retried: backIds.size, notRetried: await readNotRetried(db, [...left]) };
}

/**
 * Makes the hold of an order due, so that workers retry it within a second (rules 9). Returns false if the order is not
 * held.
 */
export async function retryHeldOrder(
  db: Database,
  licenseOrderId: LicenseOrderId,
  record: (trx: Trx) => Promise<void>,
): Promise<boolean> {
  return await inTransaction(db, async (trx) => {
    const { rows } = await sql`
      update order_hold set next_try = statement_timestamp()
      where customer_id = (select customer_id from held_order where license_order_id = ${licenseOrderId})
      returning customer_id`.execute(trx);
    if (rows.length > 0) await record(trx);
    return rows.length > 0;
  });
}

type RecordRetried = (trx: Trx, backIds: readonly LicenseOrderId[]) => Promise<void>;

/** Locks the lanes and batches of these orders, and puts back those that have failed. Returns their ids. */
async function putBack(
  trx: Trx,
  licenseOrderIds: readonly LicenseOrderId[],
  record: RecordRetried,
): Promise<readonly LicenseOrderId[]> {
  const { rows: orders } = await sql<{ id: LicenseOrderId; customerId: CustomerId }>`
    select id, customer_id as "customerId" from license_order
    where id = any (${licenseOrderIds}::bigint[]) and cause = 'internal_error'`.execute(trx);
  const customerIds = orders.map(({ customerId }) => customerId);
  const lanesOfCustomers = await findLanes(trx, customerIds);
  const lanes = new Map(orders.map(({ id, customerId }) => [id, lanesOfCustomers.get(customerId)!]));
  await lockLanes(trx, [...new Set(lanes.values())]);
  await lockBatches(trx, [...new Set(orders.map(({ id }) => splitOrderId(id).batchId))]);
  const { rows } = await sql<{ id: LicenseOrderId; payload_version: number; content: string }>`
    select id, payload_version, content from failed_order join license_order on id = license_order_id
    where id = any (${orders.map(({ id }) => id)}::bigint[]) and cause = 'internal_error' order by id`.execute(trx);
  const backIds = rows.map(({ id }) => id);
  if (backIds.length === 0) return [];
  await sql`
    insert into order_retry (license_order_id, cause, args, finished_time)
    select id, cause, args, finished_time from license_order where id = any (${backIds}::bigint[]) order by id`.execute(
    trx,
  );
  await sql`delete from license_order where id = any (${backIds}::bigint[])`.execute(trx);
  await sql`delete from failed_order where license_order_id = any (${backIds}::bigint[])`.execute(trx);
  const placed = rows.map(({ id, payload_version, content }) => ({
    batchId: splitOrderId(id).batchId,
    lane: lanes.get(id)!,
    characters: content.length,
    order: readStoredOrders(payload_version, content)[0]!,
  }));
  const chunks: ChunkBack[] = [];
  for (const ofChunk of Map.groupBy(placed, ({ batchId, lane }) => `${batchId} ${lane}`).values()) {
    const { batchId, lane } = ofChunk[0]!;
    const orders = [...(await readPending(trx, batchId, lane)), ...ofChunk.map(({ order }) => order)];
    const weight = ofChunk.reduce((sum, { order, characters }) => sum + weighOrder(order[1], characters), 0);
    const customerIds = [...new Set(ofChunk.map(({ order: [, { customerId }] }) => customerId))];
    chunks.push({ batchId, lane, customerIds, orderCount: ofChunk.length, weight, payload: writeStoredOrders(orders) });
  }
  await reopenBatches(trx, chunks);
  await record(trx, backIds);
  return backIds;
}

async function readNotRetried(db: Database, ids: readonly LicenseOrderId[]): Promise<NotRetried[]> {
  if (ids.length === 0) return [];
  const places = ids.map(splitOrderId);
  const { rows } = await sql<NotRetried>`
    select named.id as "licenseOrderId", license_order.cause, case
      when batch.id is null then 'order_not_found'
      when license_order.id is null then 'pending'
      when license_order.cause is null then 'succeeded'
      when license_order.cause = 'internal_error' and failed_order.license_order_id is null then 'content_expired'
      else 'failed'
    end as reason
    from unnest(
      ${ids}::bigint[], ${places.map(({ batchId }) => batchId)}::bigint[], ${places.map(({ index }) => index)}::int[]
    ) with ordinality as named (id, batch_id, index, place)
    left join batch on batch.id = named.batch_id and named.index < cardinality(sequences)
    left join license_order on license_order.id = named.id
    left join failed_order on failed_order.license_order_id = named.id
    order by place`.execute(db);
  return rows;
}

/** Returns the pending orders of a chunk, except held ones. Throws a PayloadFault if it can't be read. */
async function readPending(trx: Trx, batchId: BatchId, lane: number) {
  const { rows } = await sql<{ payload_version: number; payload: string }>`
    select payload_version, payload from lane_chunk
    where batch_id = ${batchId} and lane = ${lane} and payload is not null`.execute(trx);
  return rows.flatMap(({ payload_version, payload }) => readStoredOrders(payload_version, payload));
}
