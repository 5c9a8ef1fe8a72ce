import { splitOrderId } from '@lockstep/assets';
import type { ApplicationId, LicenseOrderId, ListedOrder, ListOrdersQuery, OrderPage } from '@lockstep/contract';
import { type Database, inSnapshot, type Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { ListCursor } from './list-cursor.ts';
import { isOfSender, type ListCaller, type Viewer } from './list-filters.ts';
import type { OrderFilters } from './order-filters.ts';
import { findOrdersById } from './orders-by-id.ts';
import { findOrdersOfBatches } from './orders-of-batches.ts';
import { buildResult, heldSince, type OrderRow } from './results.ts';

/**
 * Lists orders of a caller, newest first (rules 6.7).
 *
 * Throws a Refusal: field_invalid, for a cursor of another list, caller or filter.
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
 * Reads a page of orders as far as somebody may see them, newest first: those of all applications, of a customer or of an
 * asset number by their ids, all others batch by batch as they were accepted.
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
  const cursors = new ListCursor(list, viewer, { ...filters, appKey }, cursor);
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

/** What an order and its batch say of it, and who sent it. */
export type SentOrderRow = OrderRow & {
  id: LicenseOrderId;
  channel_code: string;
  channel_order_id: string;
  accepted_time: Date;
  request_id: string | null;
  app_key: string;
  application_name: string;
  src_license_order_id: LicenseOrderId | null;
};

/** Selects some orders as far as somebody may see them, in the order of the ids. */
export async function selectSentOrders(
  db: Database | Trx,
  viewer: Viewer,
  ids: readonly LicenseOrderId[],
): Promise<SentOrderRow[]> {
  if (ids.length === 0) return [];
  const wanted = ids.map(splitOrderId);
  const { rows } = await sql<SentOrderRow>`
    select wanted.id, wanted.index, sequences[wanted.index + 1] as sequence,
      customer_ids[wanted.index + 1] as customer_id, order_types[wanted.index + 1] as order_type,
      finished.cause, finished.message, finished.assets, finished.products, finished.finished_time,
      ${sql.raw(heldSince('wanted.id'))} as held_since, finished.src_license_order_id, channel_code, channel_order_id, batch.accepted_time, batch.request_id,
      application.app_key, application.name as application_name
    from unnest(
      ${ids}::bigint[], ${wanted.map(({ batchId }) => batchId)}::bigint[], ${wanted.map(({ index }) => index)}::int[]
    ) with ordinality as wanted (id, batch_id, index, place)
    cross join lateral (select * from batch where batch.id = wanted.batch_id offset 0) as batch
    join application on application.id = batch.application_id
    left join lateral (select * from license_order where license_order.id = wanted.id offset 0) as finished on true
    where wanted.index < cardinality(sequences) and ${isOfSender(viewer)}
    order by place`.execute(db);
  return rows;
}

/** Shows an order in a list. */
export function buildListed(row: SentOrderRow): ListedOrder {
  return {
    ...buildResult(splitOrderId(row.id).batchId, row),
    channelCode: row.channel_code,
    channelOrderId: row.channel_order_id,
    acceptedTime: row.accepted_time.getTime(),
  };
}
