import { splitOrderId } from '@lockstep/assets';
import {
  type ApplicationId,
  type LicenseOrderId,
  type ListedOrder,
  type ListOrdersQuery,
  type OrderPage,
  Refusal,
  type SingleOrderResult,
} from '@lockstep/contract';
import { type Database, inSnapshot, isId, run, type Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { buildResult, heldSince, type OrderRow } from '../results/results.ts';
import { openCursor } from './cursor.ts';
import type { ListCaller, OrderFilters, Viewer } from './filters.ts';
import { findOrdersById } from './orders-by-id.ts';
import { findOrdersOfBatches } from './orders-of-batches.ts';

/**
 * Returns a page of a caller's orders, newest first (rules 6.7).
 *
 * Throws a WrongCursor.
 */
export async function listOrders(db: Database, caller: ListCaller, query: ListOrdersQuery): Promise<OrderPage> {
  const { rows, nextCursor } = await readOrderPage(db, caller, query);
  return { orders: rows.map(buildListed), nextCursor };
}

type OrdersQuery = Pick<ListOrdersQuery, 'limit' | 'cursor'> &
  Omit<OrderFilters, 'applicationId' | 'acceptedFrom' | 'acceptedTo'> &
  Partial<Pick<OrderFilters, 'acceptedFrom' | 'acceptedTo'>> & { appKey?: string | undefined };

/**
 * Returns a page of the orders that a viewer may see, newest first. Lists of all applications, of a customer or of an
 * asset number are read by order id; others batch by batch in acceptance order.
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

export type SentOrderRow = OrderRow & {
  id: LicenseOrderId;
  channel_code: string;
  channel_order_id: string;
  accepted_time: Date;
  request_id: string;
  app_key: string;
  application_name: string;
  src_license_order_id: LicenseOrderId | null;
};

export function selectSentOrders(
  db: Database | Trx,
  viewer: Viewer,
  ids: readonly LicenseOrderId[],
): Promise<SentOrderRow[]> {
  return run<SentOrderRow>(db, {
    name: 'read_sent_orders',
    text: `
      select wanted.id, wanted.index, sequences[wanted.index + 1] as sequence,
        customer_ids[wanted.index + 1] as customer_id, order_types[wanted.index + 1] as order_type,
        finished.cause, finished.message, finished.assets, finished.products, finished.finished_time,
        ${heldSince('wanted.id')} as held_since, finished.src_license_order_id, channel_code, channel_order_id,
        batch.accepted_time, batch.request_id, application.app_key, application.name as application_name
      from unnest((select $1::bigint[]), (select $2::bigint[]), (select $3::int[]))
        with ordinality as wanted (id, batch_id, index, place)
      cross join lateral (select * from batch where batch.id = wanted.batch_id limit 1) as batch
      join application on application.id = batch.application_id
      left join lateral (select * from license_order where license_order.id = wanted.id limit 1) as finished on true
      where wanted.index < cardinality(sequences) and ($4::bigint is null or batch.application_id = $4)
      order by place`,
    values: [
      ids,
      ids.map((id) => splitOrderId(id).batchId),
      ids.map((id) => splitOrderId(id).index),
      viewer.applicationId,
    ],
  });
}

/**
 * Returns the result of one order (rules 6.4).
 *
 * Throws a Refusal (order_not_found), also for orders of other applications.
 */
export async function readOrderResult(
  db: Database,
  caller: ListCaller,
  id: LicenseOrderId,
): Promise<SingleOrderResult> {
  const [row] = isId(id) ? await selectSentOrders(db, caller, [id]) : [];
  if (row === undefined) throw new Refusal('order_not_found', id);
  return buildSingle(row);
}

function buildSingle(row: SentOrderRow): SingleOrderResult {
  return {
    ...buildResult(splitOrderId(row.id).batchId, row),
    channelCode: row.channel_code,
    channelOrderId: row.channel_order_id,
  };
}

export function buildListed(row: SentOrderRow): ListedOrder {
  return { ...buildSingle(row), acceptedTime: row.accepted_time.getTime() };
}
