import { ORDERS_PER_BATCH, splitOrderId } from '@lockstep/assets';
import type { CustomerId } from '@lockstep/contract';
import type { Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { laneOf } from './lanes.ts';
import { isFinishedAsAsked } from './order-filters.ts';
import { findMatching, type IndexSearch, isOfOwnBatch, type OrdersFrom } from './order-index.ts';

/** Orders and chunks that one call looks at, at most, however few of them it shows. */
const MAX_ORDERS = 10_000;
const MAX_CHUNKS = 500;

/** Finds orders of a customer that have their outcome. */
export function findFinishedOfCustomer(trx: Trx, search: IndexSearch): Promise<OrdersFrom> {
  const { filters, below } = search;
  const walked = sql`
    select id, order_type, customer_id, cause from license_order
    where customer_id = ${filters.customerId} and id < ${below} order by id desc limit ${MAX_ORDERS}`;
  return findMatching(trx, {
    walked,
    maxWalked: MAX_ORDERS,
    matching: sql`
      select finished.id from (${walked}) as finished ${isOfOwnBatch(search, sql`finished.id`)}
      where ${isFinishedAsAsked(filters)}`,
    limit: search.limit,
  });
}

/** Finds pending orders of a customer, in the chunks of the customer's lane. */
export function findPendingOfCustomer(trx: Trx, search: IndexSearch): Promise<OrdersFrom> {
  const { filters, below } = search;
  const customerId = filters.customerId as CustomerId;
  const perBatch = sql.lit(ORDERS_PER_BATCH);
  const walked = sql`
    select batch_id * ${perBatch} as id from lane_chunk
    where lane = ${laneOf(customerId)} and finished_time is null and batch_id <= ${splitOrderId(below).batchId}
    order by batch_id desc limit ${MAX_CHUNKS}`;
  const ofType = filters.orderType === undefined ? sql`` : sql`and order_type = ${filters.orderType}`;
  return findMatching(trx, {
    walked,
    maxWalked: MAX_CHUNKS,
    matching: sql`
      select placed.id from (${walked}) as chunk ${isOfOwnBatch(search, sql`chunk.id`)}
      cross join lateral (
        select chunk.id + place - 1 as id
        from unnest(own.customer_ids, own.order_types) with ordinality as sent (customer_id, order_type, place)
        where customer_id = ${customerId} ${ofType} order by place desc
      ) as placed
      left join lateral (
        select license_order.id from license_order where license_order.id = placed.id offset 0
      ) as finished on true
      where placed.id < ${below} and finished.id is null`,
    limit: search.limit,
  });
}
