import { ABOVE_ALL, splitOrderId } from '@lockstep/assets';
import type { ApplicationId, LicenseOrderId } from '@lockstep/contract';
import type { ConsoleOrder, ConsoleOrderPage, ConsoleOrdersQuery } from '@lockstep/contract/console';
import { type Database, inSnapshot, type Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { ListCursor } from './list-cursor.ts';
import { findWalked, listWalks, type OperatorSearch } from './operator-order-walks.ts';
import { findPendingOfAll } from './operator-pending.ts';
import type { OrdersFrom } from './order-index.ts';
import { mergeFound } from './orders-by-name.ts';
import { buildResult, type OrderRow } from './results.ts';

/**
 * Lists orders of all applications, newest first by their ids, for operators. Each place where such orders may be is looked
 * through by its index, down to where the next page goes on.
 *
 * Throws a Refusal: field_invalid, for a cursor of another list or filter.
 */
export async function listAllOrders(db: Database, query: ConsoleOrdersQuery): Promise<ConsoleOrderPage> {
  const { limit, cursor, ...filters } = query;
  const cursors = new ListCursor('allOrders', null, filters, cursor);
  const below = (cursors.after?.[0] ?? ABOVE_ALL) as LicenseOrderId;
  const { state, cause, appKey } = filters;
  // Only failed orders have a cause.
  if (cause !== undefined && state !== undefined && state !== 'failed') return { orders: [], nextCursor: null };
  return await inSnapshot(db, async (trx) => {
    const applicationId = appKey === undefined ? null : await findApplication(trx, appKey);
    if (applicationId === undefined) return { orders: [], nextCursor: null };
    const search: OperatorSearch = { filters, applicationId, below, limit };
    const found: OrdersFrom[] = [];
    if (state !== 'pending') {
      for (const walk of listWalks(search)) found.push(await findWalked(trx, search, walk));
    }
    if (cause === undefined && (state === undefined || state === 'pending')) {
      found.push(await findPendingOfAll(trx, search));
    }
    const { ids, stop } = mergeFound(found, limit);
    return { orders: await readOrders(trx, ids), nextCursor: cursors.write(stop) };
  });
}

async function findApplication(trx: Trx, appKey: string): Promise<ApplicationId | undefined> {
  const { rows } = await sql<{ id: ApplicationId }>`select id from application where app_key = ${appKey}`.execute(trx);
  return rows[0]?.id;
}

/** What an order and its batch say of it, and who sent it. */
export type SentOrderRow = OrderRow & {
  place: number;
  channel_code: string;
  channel_order_id: string;
  accepted_time: Date;
  request_id: string | null;
  app_key: string;
  application_name: string;
  src_license_order_id: LicenseOrderId | null;
};

/** Selects some orders, with their place among the ids; what is no order of any batch is left out. */
export async function selectSentOrders(db: Database, ids: readonly LicenseOrderId[]): Promise<SentOrderRow[]> {
  if (ids.length === 0) return [];
  const wanted = ids.map(splitOrderId);
  const { rows } = await sql<SentOrderRow>`
    select place::int - 1 as place, wanted.index, sequences[wanted.index + 1] as sequence,
      customer_ids[wanted.index + 1] as customer_id, order_types[wanted.index + 1] as order_type,
      finished.cause, finished.message, finished.assets, finished.products, finished.finished_time,
      finished.src_license_order_id, channel_code, channel_order_id, batch.accepted_time, batch.request_id,
      application.app_key, application.name as application_name
    from unnest(
      ${ids}::bigint[], ${wanted.map(({ batchId }) => batchId)}::bigint[], ${wanted.map(({ index }) => index)}::int[]
    ) with ordinality as wanted (id, batch_id, index, place)
    cross join lateral (select * from batch where batch.id = wanted.batch_id offset 0) as batch
    join application on application.id = batch.application_id
    left join lateral (select * from license_order where license_order.id = wanted.id offset 0) as finished on true
    where wanted.index < cardinality(sequences)
    order by place`.execute(db);
  return rows;
}

/** Reads what became of some orders, in the order of the ids. */
async function readOrders(trx: Trx, ids: readonly LicenseOrderId[]): Promise<ConsoleOrder[]> {
  return (await selectSentOrders(trx, ids)).map((row) => buildSentOrder(ids[row.place]!, row));
}

/** Shows an order with its batch and its sender. */
export function buildSentOrder(id: LicenseOrderId, row: SentOrderRow): ConsoleOrder {
  const { batchId } = splitOrderId(id);
  return {
    ...buildResult(batchId, row),
    ...{ batchId, appKey: row.app_key, applicationName: row.application_name },
    ...{ channelCode: row.channel_code, channelOrderId: row.channel_order_id },
    acceptedTime: row.accepted_time.getTime(),
  };
}
