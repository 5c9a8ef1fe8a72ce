import { ABOVE_ALL, ORDERS_PER_BATCH, ordersOfNumber } from '@lockstep/assets';
import type { LicenseOrderId } from '@lockstep/contract';
import { prepared, type Trx } from '@lockstep/platform';
import { type RawBuilder, sql } from 'kysely';
import { findPending, type OrdersFrom } from './pending-search.ts';
import { andIs, type FoundOrders, hasOutcome, isAskedFor, type OrderFilters, type OrderSearch } from './viewer.ts';

/** How many orders of an index one call reads at most, even if few match. */
const MAX_ORDERS = 10_000;
/** The same limit if each order may have to be looked up in several places. */
const MAX_ORDERS_OF_NUMBER = 1_000;

/**
 * Returns orders by id, newest first, below the last one of the page before. Reads each place where such orders may be
 * by its index, down to where the next page continues.
 */
export async function findOrdersById(
  trx: Trx,
  search: OrderSearch,
  after: readonly string[] | null,
): Promise<FoundOrders> {
  const below = (after?.[0] ?? ABOVE_ALL) as LicenseOrderId;
  const { state, cause } = search.filters;
  const found: OrdersFrom[] = [];
  if (state !== 'pending') {
    for (const walk of listWalks(search.filters, below)) found.push(await findFinished(trx, search, walk));
  }
  // Only failed orders have a cause.
  if (cause === undefined && (state === undefined || state === 'pending')) {
    found.push(await findPending(trx, search, below));
  }
  return mergeFound(found, search.limit);
}

interface OrderWalk {
  walked: RawBuilder<unknown>;
  maxWalked: number;
}

/** Returns the indexes that contain the orders with an outcome that a search asks for. */
function listWalks({ assetNum, customerId, state, cause }: OrderFilters, below: LicenseOrderId): OrderWalk[] {
  const isFailed = cause !== undefined || state === 'failed';
  if (assetNum !== undefined) {
    const succeeded = ordersOfNumber(assetNum, below, MAX_ORDERS_OF_NUMBER);
    // Only while the content of failed orders is stored.
    const failed = sql`
      select license_order_id as id from failed_order
      where asset_nums @> array[${assetNum}] and license_order_id < ${below}
      order by license_order_id desc limit ${MAX_ORDERS_OF_NUMBER}`;
    return [...(isFailed ? [] : [succeeded]), ...(state === 'succeeded' ? [] : [failed])].map((walked) => ({
      walked,
      maxWalked: MAX_ORDERS_OF_NUMBER,
    }));
  }
  const among =
    customerId !== undefined
      ? sql`customer_id = ${customerId}`
      : cause === 'internal_error'
        ? sql`cause = 'internal_error'`
        : isFailed
          ? sql`cause is not null`
          : sql`true`;
  const walked = sql`select id from license_order where ${among} and id < ${below} order by id desc limit ${MAX_ORDERS}`;
  return [{ walked, maxWalked: MAX_ORDERS }];
}

/** Returns the orders of a walk that match. Looks up each order and its batch: a join might read the whole table. */
async function findFinished(trx: Trx, search: OrderSearch, { walked, maxWalked }: OrderWalk): Promise<OrdersFrom> {
  const { filters, limit } = search;
  const rows = await prepared<{ id: LicenseOrderId }>(trx, 'orders_by_id')`
    select walked.id from (${walked}) as walked
    cross join lateral (
      select from license_order as finished where finished.id = walked.id and ${hasOutcome(filters)}
        ${andIs('finished.order_type', filters.orderType)} ${andIs('finished.customer_id', filters.customerId)} offset 0
    ) as asked
    cross join lateral (
      select * from batch where batch.id = walked.id / ${sql.lit(ORDERS_PER_BATCH)} offset 0
    ) as batch
    where ${isAskedFor(search)}
    order by walked.id desc limit ${limit + 1}`;
  const ids = rows.map(({ id }) => id);
  if (ids.length > limit) return { ids, floor: ids.at(-1)! };
  const last = await prepared<{ id: LicenseOrderId }>(trx, 'orders_by_id_floor')`
    select id from (${walked}) as walked order by id desc offset ${maxWalked - 1} limit 1`;
  return { ids, floor: last[0]?.id ?? null };
}

/** Merges the results of several indexes, newest first, down to the position that all of them have reached. */
export function mergeFound(found: readonly OrdersFrom[], limit: number): FoundOrders {
  const floors = found.flatMap(({ floor }) => (floor === null ? [] : [BigInt(floor)]));
  const floor = floors.length === 0 ? null : floors.reduce((highest, each) => (each > highest ? each : highest));
  const ids = found
    .flatMap((each) => each.ids)
    .map(BigInt)
    .filter((id) => floor === null || id >= floor)
    .sort((a, b) => (a > b ? -1 : 1))
    .map((id) => String(id) as LicenseOrderId);
  const page = ids.slice(0, limit);
  if (ids.length > limit) return { ids: page, stop: [page.at(-1)!] };
  return { ids: page, stop: floor === null ? null : [String(floor)] };
}
