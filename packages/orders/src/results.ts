import { licenseOrderIdOf, ORDERS_PER_BATCH, splitOrderId } from '@lockstep/assets';
import {
  type ApplicationId,
  type BatchId,
  type Cause,
  type CustomerId,
  codeOf,
  type LicenseOrderId,
  type OrderResult,
  type OrderType,
  Refusal,
  type SingleOrderResult,
} from '@lockstep/contract';
import { type Database, run } from '@lockstep/platform';

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
  held_since: Date | null;
}

/** For a SELECT with the outcome of an order as `finished`: since when it is held; null where it is not. */
export const heldSince = (orderId: string) => `case when finished.id is null then (
  select since from held_order join order_hold using (customer_id) where held_order.license_order_id = ${orderId}
) end`;

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
    heldSince: row.held_since?.getTime() ?? null,
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
  const rows = await run<OrderRow & { channel_code: string; channel_order_id: string }>(db, {
    name: 'read_order_result',
    text: `
      select place::int - 1 as index, sequence, sent.customer_id, sent.order_type, finished.cause, finished.message,
        finished.assets, finished.products, finished.finished_time, ${heldSince('named.order_id')} as held_since,
        channel_code, channel_order_id
      from (select * from batch where id = $1 limit 1) as batch
      cross join unnest(sequences, customer_ids, order_types)
        with ordinality as sent (sequence, customer_id, order_type, place)
      cross join lateral (select batch.id * ${ORDERS_PER_BATCH} + place - 1) as named (order_id)
      left join lateral (select * from license_order where id = named.order_id limit 1) as finished on true
      where application_id = $2 and place = $3::int + 1`,
    values: [batchId, applicationId, index],
  });
  const row = rows[0];
  if (row === undefined || licenseOrderIdOf(batchId, index) !== licenseOrderId) {
    throw new Refusal('order_not_found', licenseOrderId);
  }
  return { ...buildResult(batchId, row), channelCode: row.channel_code, channelOrderId: row.channel_order_id };
}
