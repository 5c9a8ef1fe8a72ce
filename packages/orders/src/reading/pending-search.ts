import { licenseOrderIdOf, ORDERS_PER_BATCH, splitOrderId } from '@lockstep/assets';
import type { BatchId, LicenseOrderId } from '@lockstep/contract';
import { prepared, type Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { findLanes } from '../channels/customers.ts';
import { PAYLOAD_VERSION } from '../stored-orders.ts';
import { type IndexSearch, isOfChannel, isOfSenderInPeriod, type OrdersFrom } from './viewer.ts';

/** How many batches of all applications one call considers at most. */
const MAX_BATCHES = 1_000;
/** The total weight of the batches that one call reads, beyond the first; prepare.ts weighs orders. */
const MAX_WEIGHT = 20_000;

/** Open batches to read. They are complete down to `floor`; to the end if it is null. */
interface ChosenBatches {
  batchIds: BatchId[];
  floor: OrdersFrom['floor'];
}

/** Finds pending orders in the newest open batches that may contain matching ones. */
export async function findPending(trx: Trx, search: IndexSearch): Promise<OrdersFrom> {
  const { batchIds, floor } = await chooseOpen(trx, search);
  if (batchIds.length === 0) return { ids: [], floor };
  const ids = await (search.filters.assetNum === undefined ? findListed : findInContent)(trx, search, batchIds);
  return { ids, floor: ids.length > search.limit ? ids.at(-1)! : floor };
}

async function chooseOpen(trx: Trx, { viewer, filters, below }: IndexSearch): Promise<ChosenBatches> {
  // Lower ids belong to earlier batches.
  const { batchId } = splitOrderId(String(BigInt(below) - 1n) as LicenseOrderId);
  const { customerId } = filters;
  const lanes = customerId === undefined ? [] : [...(await findLanes(trx, [customerId])).values()];
  const walked =
    filters.customerId === undefined
      ? sql`select id from batch where completed_time is null and id <= ${batchId} order by id desc limit ${MAX_BATCHES}`
      : sql`
        (
          select batch_id as id from unnest(${lanes}::int[]) as wanted (lane) cross join lateral (
            select batch_id from lane_chunk
            where lane_chunk.lane = wanted.lane and finished_time is null and not is_held and batch_id <= ${batchId}
            order by batch_id desc limit ${MAX_BATCHES}
          ) as newest
        ) union (
          select batch_id from held_order where customer_id = ${filters.customerId} and batch_id <= ${batchId}
          order by batch_id desc limit ${MAX_BATCHES}
        ) order by id desc limit ${MAX_BATCHES}`;
  const rows = await prepared<{ id: BatchId; weight: number }>(trx, 'open_batches')`
    select walked.id, weighed.weight from (${walked}) as walked
    cross join lateral (select * from batch where batch.id = walked.id offset 0) as batch
    cross join lateral (
      select sum(weight)::int as weight from lane_chunk where batch_id = walked.id
    ) as weighed
    where ${isOfSenderInPeriod(viewer, filters)} and ${isOfChannel(viewer, filters)}
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

async function findListed(trx: Trx, search: IndexSearch, batchIds: readonly BatchId[]): Promise<LicenseOrderId[]> {
  const { filters, below, limit } = search;
  const { customerId, orderType } = filters;
  const rows = await prepared<{ id: LicenseOrderId }>(trx, 'pending_listed')`
    select placed.id from batch cross join lateral (
      select batch.id * ${sql.lit(ORDERS_PER_BATCH)} + place - 1 as id
      from unnest(customer_ids, order_types) with ordinality as sent (customer_id, order_type, place)
      where true ${customerId === undefined ? sql`` : sql`and customer_id = ${customerId}`}
        ${orderType === undefined ? sql`` : sql`and order_type = ${orderType}`}
    ) as placed
    left join lateral (
      select license_order.id from license_order where license_order.id = placed.id offset 0
    ) as finished on true
    where batch.id = any ((select ${batchIds}::bigint[])::bigint[]) and placed.id < ${below} and finished.id is null
    order by placed.id desc limit ${limit + 1}`;
  return rows.map(({ id }) => id);
}

/** Finds pending orders of some batches that name an asset number, by their content: at most one more than `limit`. */
async function findInContent(
  trx: Trx,
  { filters, below, limit }: IndexSearch,
  batchIds: readonly BatchId[],
): Promise<LicenseOrderId[]> {
  const { assetNum, customerId, orderType } = filters;
  // Checks the text first, because most chunks don't contain the number and need not be parsed.
  const rows = await prepared<{ id: LicenseOrderId }>(trx, 'pending_by_content')`
    select placed.id from (
      select batch_id, payload from lane_chunk
      where batch_id = any ((select ${batchIds}::bigint[])::bigint[]) and finished_time is null and payload_version = ${PAYLOAD_VERSION}
        and position(${JSON.stringify(assetNum)} in payload) > 0
      union all
      select batch_id, content from held_order
      where batch_id = any ((select ${batchIds}::bigint[])::bigint[]) and payload_version = ${PAYLOAD_VERSION}
        and position(${JSON.stringify(assetNum)} in content) > 0
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
    order by placed.id desc limit ${limit + 1}`;
  return rows.map(({ id }) => id);
}
