import { ORDERS_PER_BATCH, ordersOfNumber } from '@lockstep/assets';
import type { BatchId, LicenseOrderId } from '@lockstep/contract';
import type { Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { findFinished, type IndexSearch, type OrdersFrom } from './order-index.ts';
import { PAYLOAD_VERSION } from './order-text.ts';
import { choosePending } from './pending-search.ts';

/** Orders that one call looks at in each place, at most, however few of them it shows. */
const MAX_ORDERS = 1_000;

/** What to look for in pending orders. */
interface ContentSearch extends Pick<IndexSearch, 'below' | 'limit'> {
  filters: Pick<IndexSearch['filters'], 'assetNum' | 'customerId' | 'orderType'>;
}

/** Finds orders that did something to an asset of the number. */
export function findSucceededOfNumber(trx: Trx, search: IndexSearch): Promise<OrdersFrom> {
  const walked = ordersOfNumber(search.filters.assetNum!, search.below, MAX_ORDERS);
  return findFinished(trx, search, { walked, maxWalked: MAX_ORDERS });
}

/** Finds orders that name the number and have failed, as far as what they held is kept. */
export function findFailedOfNumber(trx: Trx, search: IndexSearch): Promise<OrdersFrom> {
  const walked = sql`
    select license_order_id as id from failed_order
    where asset_nums @> array[${search.filters.assetNum}] and license_order_id < ${search.below}
    order by license_order_id desc limit ${MAX_ORDERS}`;
  return findFinished(trx, search, { walked, maxWalked: MAX_ORDERS });
}

/** Finds pending orders that name the number, in what the open batches of the caller hold. */
export async function findPendingOfNumber(trx: Trx, search: IndexSearch): Promise<OrdersFrom> {
  const { limit } = search;
  const { batchIds, floor } = await choosePending(trx, search);
  const ids = await findInContent(trx, search, batchIds);
  return { ids, floor: ids.length > limit ? ids.at(-1)! : floor };
}

/** Finds pending orders of some batches that name an asset number, by what they hold: one more than `limit` at most. */
export async function findInContent(
  trx: Trx,
  { filters, below, limit }: ContentSearch,
  batchIds: readonly BatchId[],
): Promise<LicenseOrderId[]> {
  const { assetNum, customerId, orderType } = filters;
  // Most of what is pending does not have the text anywhere, and need not be parsed.
  const { rows } = await sql<{ id: LicenseOrderId }>`
    select placed.id from (
      select batch_id, payload from lane_chunk
      where batch_id = any (${batchIds}::bigint[]) and finished_time is null and payload_version = ${PAYLOAD_VERSION}
        and position(${JSON.stringify(assetNum)} in payload) > 0
      offset 0
    ) as chunk cross join lateral (
      select chunk.batch_id * ${sql.lit(ORDERS_PER_BATCH)} + (each ->> 0)::int as id, each -> 1 as content
      from json_array_elements(chunk.payload::json) as each
    ) as placed
    where placed.id < ${below} and exists (
      select from json_array_elements(content -> 'assets') as asset
      cross join json_array_elements_text(asset -> 'assetNos') as named where named = ${assetNum}
    )
    ${customerId === undefined ? sql`` : sql`and content ->> 'customerId' = ${customerId}`}
    ${orderType === undefined ? sql`` : sql`and content ->> 'orderType' = ${orderType}`}
    order by placed.id desc limit ${limit + 1}`.execute(trx);
  return rows.map(({ id }) => id);
}
