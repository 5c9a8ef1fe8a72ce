import { splitOrderId } from '@lockstep/assets';
import { type LicenseOrderId, type ListedOrder, Refusal, type SingleOrderResult } from '@lockstep/contract';
import { type Database, isId, run, type Trx } from '@lockstep/platform';
import type { ListCaller, Viewer } from './list-filters.ts';
import { buildResult, heldSince, type OrderRow } from './results.ts';

/** What an order and its batch say of it, and who sent it. */
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

/** Selects some orders as far as somebody may see them, in the order of the ids. */
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
 * Reads what became of one order (rules 6.4).
 *
 * Throws a Refusal: order_not_found, for another application's order too.
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

/** Shows an order in a list. */
export function buildListed(row: SentOrderRow): ListedOrder {
  return { ...buildSingle(row), acceptedTime: row.accepted_time.getTime() };
}
