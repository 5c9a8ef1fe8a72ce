import { licenseOrderIdOf } from '@lockstep/assets';
import {
  type BatchId,
  type Cause,
  type CustomerId,
  codeOf,
  type OrderResult,
  type OrderType,
} from '@lockstep/contract';

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
