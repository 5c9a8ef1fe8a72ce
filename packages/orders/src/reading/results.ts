import { licenseOrderIdOf } from '@lockstep/assets';
import {
  type BatchId,
  type Cause,
  type CustomerId,
  codeOf,
  type OrderResult,
  type OrderType,
} from '@lockstep/contract';
import { queuedIn } from '../channels/count-activity.ts';
import { channelOfColumn } from '../lanes.ts';

/** An order with its place in orderList, the fields kept in its batch, and its outcome if it has one. */
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

/** For a SELECT with the outcome of an order as `finished`: since when the order is held; null if it is not. */
export const heldSince = (orderId: string) => `case when finished.id is null then (
  select since from held_order join order_hold using (customer_id) where held_order.license_order_id = ${orderId}
) end`;

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
 * For a FROM clause after `batch`: the channels with pending orders of an open batch, as `waiting.channels`, a list of
 * PendingInChannel; null for completed batches. Orders accepted within two seconds after the batch don't count as later
 * ones.
 */
export const WAITING = `
  left join lateral (
    select json_agg(json_build_object('channelId', channel_id, 'own', own, 'behind', behind)) as channels
    from (
      select ${channelOfColumn()} as channel_id, sum(order_count - succeeded - failed) as own from lane_chunk
      where batch_id = batch.id and finished_time is null and batch.completed_time is null group by ${channelOfColumn()}
    ) as pending
    cross join lateral (
      select coalesce(${queuedIn('pending.channel_id')} - (
        select queued_before from channel_activity
        where channel_activity.channel_id = pending.channel_id and period_start > batch.accepted_time
        order by period_start limit 1
      ), 0) as behind
    ) as later
  ) as waiting on true`;
