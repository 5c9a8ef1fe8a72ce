import { ORDERS_PER_BATCH } from '@lockstep/assets';
import type { BatchId, LicenseOrderId } from '@lockstep/contract';
import type { Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { isOfSender, type OperatorSearch } from './operator-order-walks.ts';
import type { OrdersFrom } from './order-index.ts';
import { findInContent } from './orders-of-number.ts';
import { chooseOpen } from './pending-search.ts';

/** Finds pending orders, whoever sent them: in the newest open batches, as many as one call looks into. */
export async function findPendingOfAll(trx: Trx, search: OperatorSearch): Promise<OrdersFrom> {
  const { limit } = search;
  const { batchIds, floor } = await chooseOpen(trx, search, isOfSender(search));
  const ids = await (search.filters.assetNum === undefined ? findListed : findInContent)(trx, search, batchIds);
  return { ids, floor: ids.length > limit ? ids.at(-1)! : floor };
}

/** Finds them by what a batch says of its orders. */
async function findListed(trx: Trx, search: OperatorSearch, batchIds: readonly BatchId[]): Promise<LicenseOrderId[]> {
  const { filters, below, limit } = search;
  const { customerId, orderType } = filters;
  const { rows } = await sql<{ id: LicenseOrderId }>`
    select placed.id from batch cross join lateral (
      select batch.id * ${sql.lit(ORDERS_PER_BATCH)} + place - 1 as id
      from unnest(customer_ids, order_types) with ordinality as sent (customer_id, order_type, place)
      where true ${customerId === undefined ? sql`` : sql`and customer_id = ${customerId}`}
        ${orderType === undefined ? sql`` : sql`and order_type = ${orderType}`}
    ) as placed
    left join lateral (
      select license_order.id from license_order where license_order.id = placed.id offset 0
    ) as finished on true
    where batch.id = any (${batchIds}::bigint[]) and placed.id < ${below} and finished.id is null
    order by placed.id desc limit ${limit + 1}`.execute(trx);
  return rows.map(({ id }) => id);
}
