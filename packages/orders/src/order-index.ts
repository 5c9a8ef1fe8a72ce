import { ORDERS_PER_BATCH } from '@lockstep/assets';
import type { LicenseOrderId } from '@lockstep/contract';
import type { Trx } from '@lockstep/platform';
import { type RawBuilder, sql } from 'kysely';
import { isCallersInPeriod, isOfChannel, type ListCaller } from './list-filters.ts';
import type { OrderFilters } from './order-filters.ts';

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
 * Finds orders by one index. `walked`: a query of at most `maxWalked` ids, the highest first, that an index answers;
 * `matching`: a query of the ids of those among them that are asked for.
 */
export async function findMatching(
  trx: Trx,
  search: { walked: RawBuilder<unknown>; maxWalked: number; matching: RawBuilder<unknown>; limit: number },
): Promise<OrdersFrom> {
  const { walked, maxWalked, matching, limit } = search;
  const { rows } = await sql<{ id: LicenseOrderId }>`${matching} order by id desc limit ${limit + 1}`.execute(trx);
  const ids = rows.map(({ id }) => id);
  if (ids.length > limit) return { ids, floor: ids.at(-1)! };
  const { rows: last } = await sql<{ id: LicenseOrderId }>`
    select id from (${walked}) as walked order by id desc offset ${maxWalked - 1} limit 1`.execute(trx);
  return { ids, floor: last[0]?.id ?? null };
}

/**
 * For a FROM clause: joins the batch of an order, as `own`, if the caller sees it and it is as asked for. Looked up row by
 * row: a join might read all batches there are.
 */
export function isOfOwnBatch({ caller, filters }: IndexSearch, id: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    cross join lateral (
      select batch.customer_ids, batch.order_types from batch
      where batch.id = ${id} / ${sql.lit(ORDERS_PER_BATCH)} and ${isCallersInPeriod(caller, filters)}
        and ${isOfChannel(caller, filters)} offset 0
    ) as own`;
}
