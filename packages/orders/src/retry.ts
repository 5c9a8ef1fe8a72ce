import { splitOrderId } from '@lockstep/assets';
import type { LicenseOrderId } from '@lockstep/contract';
import { type Database, inTransaction, type Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { lockBatches, reopenBatches } from './end-batches.ts';
import { lockLanes } from './lane-locks.ts';
import { PAYLOAD_VERSION } from './order-text.ts';
import { type PlacedOrder, readStoredOrders, writeStoredOrders } from './stored-orders.ts';

/** Orders that one transaction puts back at most. */
const ORDERS_AT_ONCE = 500;

/** What retryFailedOrders has done. */
export interface Retried {
  /** Orders that are pending again. */
  retried: number;
  /** Orders that stay failed, because their content is not kept. */
  contentLost: number;
}

/**
 * Puts orders that ended with internal_error back as pending, all of them or one (rules 9), and opens their batches again.
 * Each order takes its place again, by batch and sequence, before later pending orders of its customer, and the sweep of a
 * worker finds it. A failure is put back once, however many callers try at the same time, and leaves a record in
 * order_retry.
 */
export async function retryFailedOrders(db: Database, licenseOrderId?: LicenseOrderId): Promise<Retried> {
  const total: Retried = { retried: 0, contentLost: 0 };
  for (let after = '0'; ; ) {
    const found = await findFailed(db, after, licenseOrderId);
    const last = found.at(-1);
    if (last === undefined) return total;
    const keptIds = found.filter(({ kept }) => kept).map(({ id }) => id);
    total.retried += await inTransaction(db, (trx) => putBack(trx, keptIds));
    total.contentLost += found.length - keptIds.length;
    after = last.id;
  }
}

async function findFailed(db: Database, after: string, licenseOrderId: LicenseOrderId | undefined) {
  const only = licenseOrderId === undefined ? sql`` : sql`and id = ${licenseOrderId}`;
  const { rows } = await sql<{ id: LicenseOrderId; kept: boolean }>`
    select id, license_order_id is not null as kept
    from license_order left join failed_order on license_order_id = id
    where license_order.cause = 'internal_error' and id > ${after} ${only}
    order by id limit ${ORDERS_AT_ONCE}`.execute(db);
  return rows;
}

interface FailedRow {
  license_order_id: LicenseOrderId;
  lane: number;
  payload_version: number;
  content: string;
}

/** Locks the lanes of these orders, puts back those that are still failed then, and returns how many. */
async function putBack(trx: Trx, ids: LicenseOrderId[]): Promise<number> {
  const { rows: lanes } = await sql<{ lane: number }>`
    select distinct lane from failed_order where license_order_id = any (${ids}::bigint[])`.execute(trx);
  await lockLanes(
    trx,
    lanes.map(({ lane }) => lane),
  );
  const { rows } = await sql<FailedRow>`
    select license_order_id, lane, payload_version, content
    from failed_order join license_order on id = license_order_id
    where id = any (${ids}::bigint[]) and cause = 'internal_error'`.execute(trx);
  const backIds = rows.map((row) => row.license_order_id);
  const batchIds = [...new Set(backIds.map((id) => splitOrderId(id).batchId))];
  await lockBatches(trx, batchIds);
  await sql`
    insert into order_retry (license_order_id, cause, message, finished_time)
    select id, cause, message, finished_time from license_order where id = any (${backIds}::bigint[]) order by id`.execute(
    trx,
  );
  await sql`delete from license_order where id = any (${backIds}::bigint[])`.execute(trx);
  await sql`delete from failed_order where license_order_id = any (${backIds}::bigint[])`.execute(trx);
  const byChunk = Map.groupBy(
    rows,
    ({ license_order_id, lane }) => `${splitOrderId(license_order_id).batchId} ${lane}`,
  );
  for (const ofChunk of byChunk.values()) await reopen(trx, ofChunk);
  await reopenBatches(trx, batchIds);
  return rows.length;
}

/** Makes orders of one chunk pending again, beside what is pending of it. */
async function reopen(trx: Trx, rows: FailedRow[]): Promise<void> {
  const { license_order_id, lane } = rows[0]!;
  const chunk = sql`batch_id = ${splitOrderId(license_order_id).batchId} and lane = ${lane}`;
  const { rows: pending } = await sql<{ payload_version: number; payload: string }>`
    select payload_version, payload from lane_chunk where ${chunk} and payload is not null`.execute(trx);
  const orders: PlacedOrder[] = [
    ...pending.flatMap((row) => readStoredOrders(row.payload_version, row.payload)),
    ...rows.flatMap((row) => readStoredOrders(row.payload_version, row.content)),
  ];
  await sql`
    update lane_chunk set payload = ${writeStoredOrders(orders)}, payload_version = ${PAYLOAD_VERSION},
      failed = failed - ${rows.length}, finished_time = null
    where ${chunk}`.execute(trx);
}
