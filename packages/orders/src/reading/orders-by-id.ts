import { ABOVE_ALL, licenseOrderIdOf, ORDERS_PER_BATCH, ordersOfNumber, splitOrderId } from '@lockstep/assets';
import type { BatchId, LicenseOrderId } from '@lockstep/contract';
import { prepared, type Trx } from '@lockstep/platform';
import { type RawBuilder, sql } from 'kysely';
import { findLanes } from '../lanes.ts';
import { PAYLOAD_VERSION } from '../stored-orders.ts';
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

/** How many batches of all applications one call considers at most. */
const MAX_BATCHES = 1_000;
/** The total weight of the batches that one call reads, beyond the first; prepare.ts weighs orders. */
const MAX_WEIGHT = 20_000;

/** What one index returned, newest first: all matching orders down to `floor`, or all if `floor` is null. */
interface OrdersFrom {
  ids: LicenseOrderId[];
  floor: LicenseOrderId | null;
}

/** Finds pending orders in the newest open batches that may contain matching ones. */
async function findPending(trx: Trx, search: OrderSearch, below: LicenseOrderId): Promise<OrdersFrom> {
  const { batchIds, floor } = await chooseOpen(trx, search, below);
  if (batchIds.length === 0) return { ids: [], floor };
  const {
    filters: { assetNum, customerId, orderType },
    limit,
  } = search;
  const placed = assetNum === undefined ? listPlaced(batchIds) : readPlaced(batchIds, assetNum);
  const rows = await prepared<{ id: LicenseOrderId }>(trx, 'pending_orders')`
    select placed.id from (${placed}) as placed
    left join lateral (
      select license_order.id from license_order where license_order.id = placed.id offset 0
    ) as finished on true
    where placed.id < ${below} and finished.id is null
      ${andIs('placed.customer_id', customerId)} ${andIs('placed.order_type', orderType)}
    order by placed.id desc limit ${limit + 1}`;
  const ids = rows.map(({ id }) => id);
  return { ids, floor: ids.length > limit ? ids.at(-1)! : floor };
}

/** Returns open batches to read. They are complete down to `floor`; to the end if it is null. */
async function chooseOpen(
  trx: Trx,
  search: OrderSearch,
  below: LicenseOrderId,
): Promise<{ batchIds: BatchId[]; floor: OrdersFrom['floor'] }> {
  // Lower ids belong to earlier batches.
  const { batchId } = splitOrderId(String(BigInt(below) - 1n) as LicenseOrderId);
  const { customerId } = search.filters;
  const lanes = customerId === undefined ? [] : [...(await findLanes(trx, [customerId])).values()];
  const walked =
    customerId === undefined
      ? sql`select id from batch where completed_time is null and id <= ${batchId} order by id desc limit ${MAX_BATCHES}`
      : sql`
        (
          select batch_id as id from unnest(${lanes}::int[]) as wanted (lane) cross join lateral (
            select batch_id from lane_chunk
            where lane_chunk.lane = wanted.lane and finished_time is null and not is_held and batch_id <= ${batchId}
            order by batch_id desc limit ${MAX_BATCHES}
          ) as newest
        ) union (
          select batch_id from held_order where customer_id = ${customerId} and batch_id <= ${batchId}
          order by batch_id desc limit ${MAX_BATCHES}
        ) order by id desc limit ${MAX_BATCHES}`;
  const rows = await prepared<{ id: BatchId; weight: number }>(trx, 'open_batches')`
    select walked.id, (select sum(weight)::int from lane_chunk where batch_id = walked.id) as weight
    from (${walked}) as walked
    cross join lateral (select * from batch where batch.id = walked.id offset 0) as batch
    where ${isAskedFor(search)}
    order by walked.id desc`;
  const batchIds: BatchId[] = [];
  let weight = 0;
  for (const batch of rows) {
    weight += batch.weight;
    if (batchIds.length > 0 && weight > MAX_WEIGHT) return { batchIds, floor: licenseOrderIdOf(batchIds.at(-1)!, 0) };
    batchIds.push(batch.id);
  }
  const last = await prepared<{ id: BatchId }>(trx, 'open_batches_floor')`
    select id from (${walked}) as walked order by id desc offset ${MAX_BATCHES - 1} limit 1`;
  return { batchIds, floor: last[0] === undefined ? null : licenseOrderIdOf(last[0].id, 0) };
}

const PER_BATCH = sql.lit(ORDERS_PER_BATCH);
const among = (batchIds: readonly BatchId[]) => sql`any ((select ${batchIds}::bigint[])::bigint[])`;

/** SQL: the orders of some batches, with their type and customer. */
const listPlaced = (batchIds: readonly BatchId[]) => sql`
  select batch.id * ${PER_BATCH} + place - 1 as id, customer_id, order_type from batch
  cross join lateral unnest(customer_ids, order_types) with ordinality as sent (customer_id, order_type, place)
  where batch.id = ${among(batchIds)}`;

/**
 * SQL: the pending orders of some batches that name an asset number. Checks the text first, because most chunks don't
 * contain the number and need not be parsed.
 */
const readPlaced = (batchIds: readonly BatchId[], assetNum: string) => sql`
  select chunk.batch_id * ${PER_BATCH} + (each ->> 0)::int as id,
    each -> 1 ->> 'customerId' as customer_id, each -> 1 ->> 'orderType' as order_type
  from (
    select batch_id, payload from lane_chunk
    where batch_id = ${among(batchIds)} and finished_time is null and payload_version = ${PAYLOAD_VERSION}
      and position(${JSON.stringify(assetNum)} in payload) > 0
    union all
    select batch_id, content from held_order
    where batch_id = ${among(batchIds)} and payload_version = ${PAYLOAD_VERSION}
      and position(${JSON.stringify(assetNum)} in content) > 0
  ) as chunk cross join lateral json_array_elements(chunk.payload::json) as each
  where exists (
    select from json_array_elements(each -> 1 -> 'assets') as asset
    cross join json_array_elements_text(asset -> 'assetNos') as named where named = ${assetNum}
  )`;
