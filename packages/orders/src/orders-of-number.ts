import { licenseOrderIdOf, ORDERS_PER_BATCH, ordersOfNumber, splitOrderId } from '@lockstep/assets';
import type { BatchId, LicenseOrderId } from '@lockstep/contract';
import type { Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { isCallersInPeriod, isOfChannel } from './list-filters.ts';
import { isFinishedAsAsked } from './order-filters.ts';
import { findMatching, type IndexSearch, isOfOwnBatch, type OrdersFrom } from './order-index.ts';
import { PAYLOAD_VERSION } from './order-text.ts';

/** Orders and open batches that one call looks at, at most, however few of them it shows. */
const MAX_ORDERS = 1_000;
const MAX_BATCHES = 1_000;
/** The weight of pending orders whose content one call reads, at most, beyond its first batch; prepare.ts weighs orders. */
const MAX_WEIGHT = 8_000;

/** Finds orders that did something to an asset of the number. */
export function findSucceededOfNumber(trx: Trx, search: IndexSearch): Promise<OrdersFrom> {
  return findFinished(trx, search, ordersOfNumber(search.filters.assetNum!, search.below, MAX_ORDERS));
}

/** Finds orders that name the number and have failed, as far as what they held is kept. */
export function findFailedOfNumber(trx: Trx, search: IndexSearch): Promise<OrdersFrom> {
  const walked = sql`
    select license_order_id as id from failed_order
    where asset_nums @> array[${search.filters.assetNum}] and license_order_id < ${search.below}
    order by license_order_id desc limit ${MAX_ORDERS}`;
  return findFinished(trx, search, walked);
}

function findFinished(trx: Trx, search: IndexSearch, walked: ReturnType<typeof ordersOfNumber>): Promise<OrdersFrom> {
  return findMatching(trx, {
    walked,
    maxWalked: MAX_ORDERS,
    matching: sql`
      select walked.id from (${walked}) as walked ${isOfOwnBatch(search, sql`walked.id`)}
      cross join lateral (select * from license_order where license_order.id = walked.id offset 0) as finished
      where ${isFinishedAsAsked(search.filters)}`,
    limit: search.limit,
  });
}

/** Finds pending orders that name the number, in what the open batches of the caller hold. */
export async function findPendingOfNumber(trx: Trx, search: IndexSearch): Promise<OrdersFrom> {
  const { filters, below, limit } = search;
  const { assetNum, customerId, orderType } = filters;
  const { batchIds, floor } = await choosePending(trx, search);
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
  const ids = rows.map(({ id }) => id);
  return { ids, floor: ids.length > limit ? ids.at(-1)! : floor };
}

/** Chooses the newest open batches of the caller whose content one call reads, and says how far down they are all. */
async function choosePending(
  trx: Trx,
  search: IndexSearch,
): Promise<{ batchIds: BatchId[] } & Pick<OrdersFrom, 'floor'>> {
  const { caller, filters, below } = search;
  const walked = sql`
    select id, application_id, channel_code, accepted_time from batch
    where completed_time is null and id <= ${splitOrderId(below).batchId} order by id desc limit ${MAX_BATCHES}`;
  const { rows } = await sql<{ id: BatchId; weight: number }>`
    select batch.id, pending.weight from (${walked}) as batch cross join lateral (
      select coalesce(sum(weight), 0)::int as weight from lane_chunk
      where batch_id = batch.id and finished_time is null
    ) as pending
    where ${isCallersInPeriod(caller, filters)} and ${isOfChannel(caller, filters)}
    order by batch.id desc`.execute(trx);
  let weight = 0;
  const batchIds: BatchId[] = [];
  for (const batch of rows) {
    weight += batch.weight;
    if (batchIds.length > 0 && weight > MAX_WEIGHT) return { batchIds, floor: licenseOrderIdOf(batchIds.at(-1)!, 0) };
    batchIds.push(batch.id);
  }
  const { rows: last } = await sql<{ id: BatchId }>`
    select id from (${walked}) as walked order by id desc offset ${MAX_BATCHES - 1} limit 1`.execute(trx);
  return { batchIds, floor: last[0] === undefined ? null : licenseOrderIdOf(last[0].id, 0) };
}
