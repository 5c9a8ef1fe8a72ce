import { licenseOrderIdOf, ORDERS_PER_BATCH, splitOrderId } from '@lockstep/assets';
import {
  type ApplicationId,
  type BatchId,
  type BatchResult,
  type BatchResultQuery,
  type Cause,
  type CustomerId,
  codeOf,
  type LicenseOrderId,
  type OrderResult,
  type OrderType,
  Refusal,
  type SingleOrderResult,
} from '@lockstep/contract';
import { type Database, inSnapshot } from '@lockstep/platform';
import { type RawBuilder, sql } from 'kysely';
import { buildSummary, SO_FAR, SUMMARY_COLUMNS, type SummaryRow } from './batch-summary.ts';

/** An order with its place in orderList, what was sent of it, and its outcome if it has one. */
export interface OrderRow {
  index: number;
  sequence: number;
  customer_id: CustomerId;
  order_type: OrderType;
  cause: Cause | null;
  message: string | null;
  assets: number | null;
  products: number | null;
  finished_time: Date | null;
}

/**
 * Reads what became of a batch, with a page of its orders in orderList order (rules 6.4).
 *
 * Throws a Refusal: batch_not_found, for another application's batch too.
 */
export async function readBatchResult(
  db: Database,
  applicationId: ApplicationId,
  query: BatchResultQuery,
): Promise<{ batchId: BatchId; result: BatchResult }> {
  return await inSnapshot(db, async (trx) => {
    const batch = await readBatch(trx, applicationId, query);
    const { orders, nextCursor } = await readPage(trx, batch.id, query);
    const result: BatchResult = { ...buildSummary(batch), orders, nextCursor };
    return { batchId: batch.id, result };
  });
}

/** Whether a batch has not ended yet; cheaper than its result. */
export async function isOpen(db: Database, batchId: BatchId): Promise<boolean> {
  const { rows } = await sql`select from batch where id = ${batchId} and completed_time is null`.execute(db);
  return rows.length > 0;
}

async function readBatch(db: Database, applicationId: ApplicationId, query: BatchResultQuery): Promise<SummaryRow> {
  const { rows } = await sql<SummaryRow>`
    select ${SUMMARY_COLUMNS} from batch ${SO_FAR}
    where application_id = ${applicationId} and channel_code = ${query.channelCode}
      and channel_order_id = ${query.channelOrderId}`.execute(db);
  if (rows[0] === undefined) throw new Refusal('batch_not_found', query.channelOrderId, query.channelCode);
  return rows[0];
}

/** For a SELECT: the orders of a batch, each with its place, what was sent of it, and its outcome if it has one. */
const ordersOfBatch = sql`
  select place::int - 1 as index, sequence, sent.customer_id, sent.order_type, finished.cause, finished.message,
    finished.assets, finished.products, finished.finished_time
  from batch
  cross join unnest(sequences, customer_ids, order_types)
    with ordinality as sent (sequence, customer_id, order_type, place)
  left join license_order as finished on finished.id = batch.id * ${ORDERS_PER_BATCH} + place - 1`;

async function readPage(db: Database, batchId: BatchId, query: BatchResultQuery) {
  const { rows } = await sql<OrderRow>`
    ${ordersOfBatch}
    where batch.id = ${batchId} and place > ${query.cursor ?? 0} ${filterByState(query.state)}
    order by place limit ${query.limit + 1}`.execute(db);
  const page = rows.slice(0, query.limit);
  const last = page.at(-1);
  return {
    orders: page.map((row) => buildResult(batchId, row)),
    nextCursor: rows.length > query.limit && last !== undefined ? String(last.index + 1) : null,
  };
}

function filterByState(state: BatchResultQuery['state']): RawBuilder<unknown> {
  switch (state) {
    case undefined:
      return sql``;
    case 'pending':
      return sql`and finished.id is null`;
    case 'succeeded':
      return sql`and finished.id is not null and finished.cause is null`;
    case 'failed':
      return sql`and finished.cause is not null`;
  }
}

/** Shows an order of a batch, in results and lists (rules 6.4). */
export function buildResult(batchId: BatchId, row: OrderRow): OrderResult {
  return {
    sequence: row.sequence,
    licenseOrderId: licenseOrderIdOf(batchId, row.index),
    customerId: row.customer_id,
    orderType: row.order_type,
    state: row.finished_time === null ? 'pending' : row.cause === null ? 'succeeded' : 'failed',
    code: row.cause === null ? null : codeOf(row.cause, 'order'),
    cause: row.cause,
    message: row.message,
    assets: row.assets ?? 0,
    products: row.products ?? 0,
    finishedTime: row.finished_time?.getTime() ?? null,
  };
}

/**
 * Reads what became of one order (rules 6.4).
 *
 * Throws a Refusal: order_not_found, for another application's order too.
 */
export async function readOrderResult(
  db: Database,
  applicationId: ApplicationId,
  licenseOrderId: LicenseOrderId,
): Promise<SingleOrderResult> {
  const { batchId, index } = splitOrderId(licenseOrderId);
  const { rows } = await sql<OrderRow & { channel_code: string; channel_order_id: string }>`
    select orders.*, channel_code, channel_order_id
    from batch cross join lateral (${ordersOfBatch} where batch.id = ${batchId} and place = ${index} + 1) as orders
    where batch.id = ${batchId} and application_id = ${applicationId}`.execute(db);
  const row = rows[0];
  if (row === undefined || licenseOrderIdOf(batchId, index) !== licenseOrderId) {
    throw new Refusal('order_not_found', licenseOrderId);
  }
  return { ...buildResult(batchId, row), channelCode: row.channel_code, channelOrderId: row.channel_order_id };
}
