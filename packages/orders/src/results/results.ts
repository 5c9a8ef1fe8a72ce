import { licenseOrderIdOf, ORDERS_PER_BATCH } from '@lockstep/assets';
import {
  type BatchId,
  type BatchSummary,
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

export interface SummaryRow {
  id: BatchId;
  channel_code: string;
  channel_order_id: string;
  sync_mode: 'sync' | 'async';
  total: number;
  succeeded: number;
  failed: number;
  held: number;
  accepted_time: Date;
  completed_time: Date | null;
}

/**
 * For a FROM clause after `batch`: the counts so far of an open batch, as `so_far`; null for completed batches. Chunks
 * have these counts, unless orders were put back.
 */
export const SO_FAR = `
  left join lateral (
    select sum(succeeded)::int as succeeded, sum(failed)::int as failed from lane_chunk where batch_id = batch.id
    having not batch.has_retries
    union all
    select count(*)::int - count(cause)::int, count(cause)::int from license_order
    where id >= batch.id * ${ORDERS_PER_BATCH} and id < (batch.id + 1) * ${ORDERS_PER_BATCH}
    having batch.has_retries
  ) as so_far on batch.completed_time is null`;

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

/**
 * For a SELECT from `batch` with SO_FAR: the columns of a SummaryRow. The total of a completed batch comes from its
 * counts, because PostgreSQL stores the sequences of a large batch outside its row.
 */
export const SUMMARY_COLUMNS = `
  batch.id, batch.channel_code, batch.channel_order_id, batch.sync_mode,
  coalesce(batch.succeeded + batch.failed, cardinality(batch.sequences)) as total,
  coalesce(batch.succeeded, so_far.succeeded) as succeeded, coalesce(batch.failed, so_far.failed) as failed,
  (
    select count(*)::int from held_order
    where batch.completed_time is null and license_order_id >= batch.id * ${ORDERS_PER_BATCH}
      and license_order_id < (batch.id + 1) * ${ORDERS_PER_BATCH}
  ) as held,
  batch.accepted_time, batch.completed_time`;

export function buildSummary(row: Omit<SummaryRow, 'id'>): BatchSummary {
  const finished = row.succeeded + row.failed;
  return {
    channelCode: row.channel_code,
    channelOrderId: row.channel_order_id,
    syncMode: row.sync_mode,
    state: row.completed_time !== null ? 'completed' : finished === 0 ? 'accepted' : 'processing',
    total: row.total,
    succeeded: row.succeeded,
    failed: row.failed,
    pending: row.total - finished,
    held: row.held,
    acceptedTime: row.accepted_time.getTime(),
    completedTime: row.completed_time?.getTime() ?? null,
  };
}
