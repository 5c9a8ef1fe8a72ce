import { licenseOrderIdOf, ORDERS_PER_BATCH, splitOrderId } from '@lockstep/assets';
import type { BatchId, LicenseOrderId } from '@lockstep/contract';
import { prepared, type Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { findLanes } from '../channels/customers.ts';
import { PAYLOAD_VERSION } from '../stored-orders.ts';
import { andIs, isAskedFor, type OrderSearch } from './viewer.ts';

/** How many batches of all applications one call considers at most. */
const MAX_BATCHES = 1_000;
/** The total weight of the batches that one call reads, beyond the first; prepare.ts weighs orders. */
const MAX_WEIGHT = 20_000;

/** What one index returned, newest first: all matching orders down to `floor`, or all if `floor` is null. */
export interface OrdersFrom {
  ids: LicenseOrderId[];
  floor: LicenseOrderId | null;
}

/** Finds pending orders in the newest open batches that may contain matching ones. */
export async function findPending(trx: Trx, search: OrderSearch, below: LicenseOrderId): Promise<OrdersFrom> {
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
