import { ORDERS_PER_BATCH } from '@lockstep/assets';
import type { LicenseOrderId } from '@lockstep/contract';
import type { Trx } from '@lockstep/platform';
import { type RawBuilder, sql } from 'kysely';
import { isCallersInPeriod, isOfChannel, type ListCaller } from './list-filters.ts';
import { isFinishedAsAsked, type OrderFilters } from './order-filters.ts';

/** What to look for in one index: orders with ids below one, as many as a page holds and one more. */
export interface IndexSearch {
  caller: ListCaller;
  filters: OrderFilters;
  below: LicenseOrderId;
  limit: number;
}

/** What was found by one index, newest first: every such order from `floor` on; all of them if that is null. */
export interface OrdersFrom {
  ids: LicenseOrderId[];
  floor: LicenseOrderId | null;
}

/**
 * Finds orders that have their outcome by one index. `walked`: a query of at most `maxWalked` ids, the highest first, that
 * the index answers. Each order and its batch are looked up: a join might read them all. The batch by its id
 * alone: a plan that is kept might lead through all of the application's.
 */
export async function findFinished(
  trx: Trx,
  { caller, filters, limit }: IndexSearch,
  { walked, maxWalked }: { walked: RawBuilder<unknown>; maxWalked: number },
): Promise<OrdersFrom> {
  const { rows } = await sql<{ id: LicenseOrderId }>`
    select walked.id from (${walked}) as walked
    cross join lateral (
      select from license_order as finished where finished.id = walked.id and ${isFinishedAsAsked(filters)} offset 0
    ) as asked
    cross join lateral (
      select * from batch where batch.id = walked.id / ${sql.lit(ORDERS_PER_BATCH)} offset 0
    ) as batch
    where ${isCallersInPeriod(caller, filters)} and ${isOfChannel(caller, filters)}
    order by walked.id desc limit ${limit + 1}`.execute(trx);
  const ids = rows.map(({ id }) => id);
  if (ids.length > limit) return { ids, floor: ids.at(-1)! };
  const { rows: last } = await sql<{ id: LicenseOrderId }>`
    select id from (${walked}) as walked order by id desc offset ${maxWalked - 1} limit 1`.execute(trx);
  return { ids, floor: last[0]?.id ?? null };
}
