import { licenseOrderIdOf, splitOrderId } from '@lockstep/assets';
import type { BatchId, LicenseOrderId } from '@lockstep/contract';
import type { Trx } from '@lockstep/platform';
import { type RawBuilder, sql } from 'kysely';
import { laneOf } from './lanes.ts';
import { isCallersInPeriod, isOfChannel } from './list-filters.ts';
import type { IndexSearch, OrdersFrom } from './order-index.ts';

/** Batches of whoever it may be that one call looks at, at most. */
const MAX_BATCHES = 1_000;
/** The weight of batches that one call looks into, at most, beyond its first one; prepare.ts weighs orders. */
const MAX_WEIGHT = 20_000;

/** What to look for among pending orders: below this order, of this customer if one is named. */
interface PendingSearch {
  filters: Pick<IndexSearch['filters'], 'customerId'>;
  below: IndexSearch['below'];
}

/** Open batches to look into. Those with ids from `floor` on are all of them; if that is null, there are no others. */
interface ChosenBatches {
  batchIds: BatchId[];
  floor: OrdersFrom['floor'];
}

/** Chooses the newest batches of the caller that may have such an order pending, as many as one call looks into. */
export function choosePending(trx: Trx, search: IndexSearch): Promise<ChosenBatches> {
  const { caller, filters } = search;
  return chooseOpen(trx, search, sql`${isCallersInPeriod(caller, filters)} and ${isOfChannel(caller, filters)}`);
}

/** Chooses the newest of those open batches for which `isWanted`, a condition on `batch`, holds. */
export async function chooseOpen(
  trx: Trx,
  { filters, below }: PendingSearch,
  isWanted: RawBuilder<unknown>,
): Promise<ChosenBatches> {
  // Below the first order of a batch there is none of that batch.
  const { batchId } = splitOrderId(String(BigInt(below) - 1n) as LicenseOrderId);
  const walked =
    filters.customerId === undefined
      ? sql`select id from batch where completed_time is null and id <= ${batchId} order by id desc limit ${MAX_BATCHES}`
      : sql`
        select batch_id as id from lane_chunk
        where lane = ${laneOf(filters.customerId)} and finished_time is null and batch_id <= ${batchId}
        order by batch_id desc limit ${MAX_BATCHES}`;
  const { rows } = await sql<{ id: BatchId; weight: number }>`
    select walked.id, weighed.weight from (${walked}) as walked
    cross join lateral (select * from batch where batch.id = walked.id offset 0) as batch
    cross join lateral (
      select sum(weight)::int as weight from lane_chunk where batch_id = walked.id
    ) as weighed
    where ${isWanted}
    order by walked.id desc`.execute(trx);
  const batchIds: BatchId[] = [];
  let weight = 0;
  for (const batch of rows) {
    weight += batch.weight;
    if (batchIds.length > 0 && weight > MAX_WEIGHT) return { batchIds, floor: licenseOrderIdOf(batchIds.at(-1)!, 0) };
    batchIds.push(batch.id);
  }
  const { rows: last } = await sql<{ id: BatchId }>`
    select id from (${walked}) as walked order by id desc offset ${MAX_BATCHES - 1} limit 1`.execute(trx);
  return { batchIds, floor: last[0] === undefined ? null : licenseOrderIdOf(last[0].id, 0) };
}
