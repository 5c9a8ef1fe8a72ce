import { splitOrderId } from '@lockstep/assets';
import type { LicenseOrderId, ListedOrder, ListOrdersQuery, OrderPage } from '@lockstep/contract';
import { type Database, inSnapshot, type Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { ListCursor } from './list-cursor.ts';
import type { ListCaller } from './list-filters.ts';
import { findOrdersByName } from './orders-by-name.ts';
import { findOrdersOfBatches } from './orders-of-batches.ts';
import { buildResult, type OrderRow } from './results.ts';

/**
 * Lists orders of a caller, newest first (rules 6.7): those of a customer or an asset number by their ids, all others batch
 * by batch as they were accepted.
 *
 * Throws a Refusal: field_invalid, for a cursor of another list, caller or filter.
 */
export async function listOrders(db: Database, caller: ListCaller, query: ListOrdersQuery): Promise<OrderPage> {
  const { limit, cursor, channelCode, customerId, assetNum, orderType, state, cause, acceptedFrom, acceptedTo } = query;
  const filters = { channelCode, customerId, assetNum, orderType, state, cause, acceptedFrom, acceptedTo };
  const isNamed = customerId !== undefined || assetNum !== undefined;
  const cursors = new ListCursor(isNamed ? 'ordersByName' : 'orders', caller, filters, cursor);
  // Only failed orders have a cause.
  if (cause !== undefined && (state === 'pending' || state === 'succeeded')) return { orders: [], nextCursor: null };
  return await inSnapshot(db, async (trx) => {
    const find = isNamed ? findOrdersByName : findOrdersOfBatches;
    const { ids, stop } = await find(trx, { caller, filters, limit, after: cursors.after });
    return { orders: await readListed(trx, ids), nextCursor: cursors.write(stop) };
  });
}

/** Reads what became of some orders, in the order of the ids. */
async function readListed(trx: Trx, ids: readonly LicenseOrderId[]): Promise<ListedOrder[]> {
  if (ids.length === 0) return [];
  const wanted = ids.map(splitOrderId);
  const { rows } = await sql<OrderRow & { channel_code: string; channel_order_id: string; accepted_time: Date }>`
    select wanted.index, sequences[wanted.index + 1] as sequence, customer_ids[wanted.index + 1] as customer_id,
      order_types[wanted.index + 1] as order_type, finished.cause, finished.message, finished.assets, finished.products,
      finished.finished_time, channel_code, channel_order_id, batch.accepted_time
    from unnest(
      ${ids}::bigint[], ${wanted.map(({ batchId }) => batchId)}::bigint[], ${wanted.map(({ index }) => index)}::int[]
    ) with ordinality as wanted (id, batch_id, index, place)
    cross join lateral (select * from batch where batch.id = wanted.batch_id offset 0) as batch
    left join lateral (select * from license_order where license_order.id = wanted.id offset 0) as finished on true
    order by place`.execute(trx);
  return rows.map((row, place) => ({
    ...buildResult(wanted[place]!.batchId, row),
    channelCode: row.channel_code,
    channelOrderId: row.channel_order_id,
    acceptedTime: row.accepted_time.getTime(),
  }));
}
