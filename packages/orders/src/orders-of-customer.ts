import { ORDERS_PER_BATCH } from '@lockstep/assets';
import type { LicenseOrderId } from '@lockstep/contract';
import type { Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { findFinished, type IndexSearch, type OrdersFrom } from './order-index.ts';
import { choosePending } from './pending-search.ts';

/** Orders that one call looks at, at most, however few of them it shows. */
const MAX_ORDERS = 10_000;

/** Finds orders of a customer that have their outcome. */
export function findFinishedOfCustomer(trx: Trx, search: IndexSearch): Promise<OrdersFrom> {
  const walked = sql`
    select id from license_order where customer_id = ${search.filters.customerId} and id < ${search.below}
    order by id desc limit ${MAX_ORDERS}`;
  return findFinished(trx, search, { walked, maxWalked: MAX_ORDERS });
}

/** Finds pending orders of a customer, in the batches that have something pending in the customer's lane. */
export async function findPendingOfCustomer(trx: Trx, search: IndexSearch): Promise<OrdersFrom> {
  const { filters, below, limit } = search;
  const { batchIds, floor } = await choosePending(trx, search);
  const ofType = filters.orderType === undefined ? sql`` : sql`and order_type = ${filters.orderType}`;
  const { rows } = await sql<{ id: LicenseOrderId }>`
    select placed.id from batch cross join lateral (
      select batch.id * ${sql.lit(ORDERS_PER_BATCH)} + place - 1 as id
      from unnest(customer_ids, order_types) with ordinality as sent (customer_id, order_type, place)
      where customer_id = ${filters.customerId} ${ofType}
    ) as placed
    left join lateral (
      select license_order.id from license_order where license_order.id = placed.id offset 0
    ) as finished on true
    where batch.id = any (${batchIds}::bigint[]) and placed.id < ${below} and finished.id is null
    order by placed.id desc limit ${limit + 1}`.execute(trx);
  const ids = rows.map(({ id }) => id);
  return { ids, floor: ids.length > limit ? ids.at(-1)! : floor };
}
