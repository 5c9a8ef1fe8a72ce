import { type RawBuilder, sql } from 'kysely';
import { ORDERS_PER_BATCH } from './order-ids.ts';

/**
 * Builds a query of an order that succeeded, by its id, a column of the query around it. It is in `license_order`, or in
 * `archived_order` once its period is archived: there it is looked for only if it is nowhere else.
 */
export function storedOrder(orderId: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select id, order_type, customer_id, finished_time, src_license_order_id from license_order
    where id = ${orderId} and cause is null
    union all
    select id, order_type, customer_id, finished_time, src_license_order_id from archived_order where id = ${orderId}
    limit 1`;
}

/** Builds a query of the batch of an order and the order's sequence in it, archived or not, as storedOrder. */
export function storedBatchOf(orderId: RawBuilder<unknown>): RawBuilder<unknown> {
  const batchId = sql`${orderId} / ${sql.lit(ORDERS_PER_BATCH)}`;
  // The sequence is also in archived_order: that is where it is while the batch alone is archived.
  return sql`
    select id, application_id, channel_code, channel_order_id,
      sequences[(${orderId} % ${sql.lit(ORDERS_PER_BATCH)})::integer + 1] as sequence
    from batch where id = ${batchId}
    union all
    select id, application_id, channel_code, channel_order_id,
      (select sequence from archived_order where archived_order.id = ${orderId})
    from archived_batch where id = ${batchId}
    limit 1`;
}
