import type { ApplicationId, ListOrdersQuery, OrderPage } from '@lockstep/contract';
import { type Database, inSnapshot, type Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { openCursor } from './list-cursor.ts';
import type { ListCaller, Viewer } from './list-filters.ts';
import type { OrderFilters } from './order-filters.ts';
import { findOrdersById } from './orders-by-id.ts';
import { findOrdersOfBatches } from './orders-of-batches.ts';
import { buildListed, type SentOrderRow, selectSentOrders } from './sent-orders.ts';

/**
 * Lists orders of a caller, newest first (rules 6.7).
 *
 * Throws a WrongCursor.
 */
export async function listOrders(db: Database, caller: ListCaller, query: ListOrdersQuery): Promise<OrderPage> {
  const { rows, nextCursor } = await readOrderPage(db, caller, query);
  return { orders: rows.map(buildListed), nextCursor };
}

/** What operators may also ask for. */
type OrdersQuery = Pick<ListOrdersQuery, 'limit' | 'cursor'> &
  Omit<OrderFilters, 'applicationId' | 'acceptedFrom' | 'acceptedTo'> &
  Partial<Pick<OrderFilters, 'acceptedFrom' | 'acceptedTo'>> & { appKey?: string | undefined };

/**
 * Reads a page of orders as far as somebody may see them, newest first: those of all applications, of a customer or of
 * an asset number by their ids, all others batch by batch as they were accepted.
 */
export async function readOrderPage(
  db: Database,
  viewer: Viewer,
  query: OrdersQuery,
): Promise<{ rows: SentOrderRow[]; nextCursor: string | null }> {
  const { limit, cursor, appKey, channelCode, customerId, assetNum, orderType, state, cause, ...period } = query;
  const { acceptedFrom, acceptedTo } = period;
  const filters = { channelCode, customerId, assetNum, orderType, state, cause, acceptedFrom, acceptedTo };
  const isNamed = customerId !== undefined || assetNum !== undefined;
  const list = viewer.applicationId === null ? 'allOrders' : isNamed ? 'ordersByName' : 'orders';
  const cursors = openCursor(list, viewer, { ...filters, appKey }, cursor);
  // Only failed orders have a cause.
  if (cause !== undefined && (state === 'pending' || state === 'succeeded')) return { rows: [], nextCursor: null };
  return await inSnapshot(db, async (trx) => {
    const applicationId = appKey === undefined ? undefined : await findApplication(trx, appKey);
    if (applicationId === null) return { rows: [], nextCursor: null };
    const find = list === 'orders' ? findOrdersOfBatches : findOrdersById;
    const search = { viewer, filters: { ...filters, applicationId }, limit, after: cursors.after };
    const { ids, stop } = await find(trx, search);
    return { rows: await selectSentOrders(trx, viewer, ids), nextCursor: cursors.write(stop) };
  });
}

async function findApplication(trx: Trx, appKey: string): Promise<ApplicationId | null> {
  const { rows } = await sql<{ id: ApplicationId }>`select id from application where app_key = ${appKey}`.execute(trx);
  return rows[0]?.id ?? null;
}
