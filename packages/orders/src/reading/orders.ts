import { splitOrderId } from '@lockstep/assets';
import {
  buildMessage,
  type LicenseOrderId,
  type ListedOrder,
  type ListOrdersQuery,
  type SingleOrderResult,
  type Viewer,
} from '@lockstep/contract';
import type { ConsoleOrder, ConsoleOrderDetail } from '@lockstep/contract/console';
import { type Database, inMs, inSnapshot, isId, run, type Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { findOrdersById } from './orders-by-id.ts';
import { findOrdersOfBatches } from './orders-of-batches.ts';
import { buildResult, heldMs, type OrderRow, OUTCOME } from './results.ts';
import { findSenders, openCursor } from './viewer.ts';

type OrdersQuery = ListOrdersQuery & { appKey?: string | undefined; licenseOrderIds?: LicenseOrderId[] | undefined };

/**
 * Returns a page of the orders that a viewer may see, newest first (rules 6.7). Lists of a customer or of an asset
 * number, and of all applications without a period, are read by order id; others batch by batch in acceptance order.
 * Operators may name the orders instead.
 *
 * Throws a WrongCursor.
 */
export async function listOrders<Shown>(
  db: Database,
  viewer: Viewer,
  query: OrdersQuery,
  show: (row: SentOrderRow) => Shown,
): Promise<{ orders: Shown[]; nextCursor: string | null }> {
  if (query.licenseOrderIds !== undefined) {
    const rows = await selectSentOrders(db, viewer, query.licenseOrderIds.filter(isId));
    return { orders: rows.map(show), nextCursor: null };
  }
  const { limit, cursor, appKey, channelCode, customerId, assetNum, orderType, state, cause, ...period } = query;
  const { acceptedFrom, acceptedTo } = period;
  const filters = { channelCode, customerId, assetNum, orderType, state, cause, acceptedFrom, acceptedTo };
  const isNamed = customerId !== undefined || assetNum !== undefined;
  const isOfAll = viewer.applicationId === null && (acceptedFrom ?? acceptedTo) === undefined;
  const list = isOfAll || isNamed ? 'ordersById' : 'orders';
  const cursors = openCursor(list, viewer, { ...filters, appKey }, cursor);
  // Only failed orders have a cause.
  if (cause !== undefined && (state === 'pending' || state === 'succeeded')) return { orders: [], nextCursor: null };
  return await inSnapshot(db, async (trx) => {
    const senders = await findSenders(trx, viewer, appKey);
    if (senders.length === 0) return { orders: [], nextCursor: null };
    const find = list === 'orders' ? findOrdersOfBatches : findOrdersById;
    const { ids, stop } = await find(trx, { viewer, senders, filters, limit }, cursors.after);
    const rows = await selectSentOrders(trx, viewer, ids);
    return { orders: rows.map(show), nextCursor: cursors.write(stop) };
  });
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

function selectSentOrders(db: Database | Trx, viewer: Viewer, ids: readonly LicenseOrderId[]): Promise<SentOrderRow[]> {
  return run<SentOrderRow>(db, {
    name: 'read_sent_orders',
    text: `
      select wanted.id, wanted.index, sequences[wanted.index + 1] as sequence,
        customer_ids[wanted.index + 1] as "customerId", order_types[wanted.index + 1] as "orderType",
        ${OUTCOME}, ${heldMs('wanted.id')} as "heldSince", finished.src_license_order_id, channel_code, channel_order_id,
        batch.accepted_time, batch.request_id, application.app_key, application.name as application_name
      from unnest((select $1::bigint[]), (select $2::bigint[]), (select $3::int[]))
        with ordinality as wanted (id, batch_id, index, place)
      cross join lateral (select * from batch where batch.id = wanted.batch_id limit 1) as batch
      join application on application.id = batch.application_id
      left join lateral (select * from license_order where license_order.id = wanted.id limit 1) as finished on true
      where wanted.index < cardinality(sequences) and ($4::bigint is null or batch.application_id = $4)
        and ($5::text[] is null or batch.channel_code = any ($5))
      order by place`,
    values: [
      ids,
      ids.map((id) => splitOrderId(id).batchId),
      ids.map((id) => splitOrderId(id).index),
      viewer.applicationId,
      // An application sees its orders also after it was bound to other channels.
      viewer.applicationId === null ? viewer.channels : null,
    ],
  });
}

/** Returns the names of the applications that sent orders, by order. */
export async function readSenderNames(db: Database, viewer: Viewer, ids: readonly LicenseOrderId[]) {
  const orders = ids.length === 0 ? [] : await selectSentOrders(db, viewer, ids);
  return new Map(orders.map(({ id, application_name }) => [id, application_name]));
}

/** Returns an order that a viewer may see; undefined if there is none. */
export async function readOrder(db: Database, viewer: Viewer, id: LicenseOrderId): Promise<SentOrderRow | undefined> {
  const [row] = isId(id) ? await selectSentOrders(db, viewer, [id]) : [];
  return row;
}

/** Shows an order to its application (rules 6.4). */
export function showOrder(row: SentOrderRow): SingleOrderResult {
  return {
    ...buildResult(splitOrderId(row.id).batchId, row),
    channelCode: row.channel_code,
    channelOrderId: row.channel_order_id,
  };
}

/** Shows an order in a list of its application. */
export function showListedOrder(row: SentOrderRow): ListedOrder {
  return { ...showOrder(row), acceptedTime: row.accepted_time.getTime() };
}

/** An order without what others than its batch know of it. */
type Untraced<Shown> = Omit<Shown, 'hold' | 'customerName' | 'resentAs'>;

/** Shows an order to operators. */
export function showSentOrder(row: SentOrderRow): Untraced<ConsoleOrder> {
  const { batchId } = splitOrderId(row.id);
  return { ...showListedOrder(row), batchId, appKey: row.app_key, applicationName: row.application_name };
}

/** What operators see of an order on its own page, except for its retries. */
export function showOrderDetail(row: SentOrderRow): Omit<Untraced<ConsoleOrderDetail>, 'retries'> {
  return { ...showSentOrder(row), requestId: row.request_id, srcLicenseOrderId: row.src_license_order_id };
}

/** How many earlier failures of a retried order are shown. Each retry was an operator's action. */
const MAX_RETRIES = 50;

/** Returns the failures of an order before each `order retry`, newest first. */
export async function listRetries(db: Database, id: LicenseOrderId): Promise<ConsoleOrderDetail['retries']> {
  const { rows } = await sql<Omit<ConsoleOrderDetail['retries'][number], 'message'>>`
    select cause, args, ${inMs('finished_time')} as "finishedTime",
      ${inMs('retried_time')} as "retriedTime"
    from order_retry where license_order_id = ${id} order by finished_time desc limit ${MAX_RETRIES}`.execute(db);
  return rows.map((row) => ({ ...row, message: buildMessage(row.cause, ...row.args) }));
}
