import { licenseOrderIdOf, ORDERS_PER_BATCH, splitOrderId } from '@lockstep/assets';
import {
  type ApplicationId,
  type Cause,
  type FailedOrdersQuery,
  type LicenseOrderId,
  type Order,
  Refusal,
  type SyncMode,
} from '@lockstep/contract';
import type { ConsoleOrderDetail, OrderContent } from '@lockstep/contract/console';
import type { Database } from '@lockstep/platform';
import { sql } from 'kysely';
import { findBatch } from '../accepting/batch.ts';
import { cutOrderText, PAYLOAD_VERSION, type PlacedOrder, readStoredOrders } from '../stored-orders.ts';

/**
 * Reads the failed orders of a batch as they were sent (rules 6.7), each as JSON, in orderList order, and why each
 * failed. They are not parsed.
 *
 * Throws a Refusal: batch_not_found, also for batches of other applications; content_expired if the content of an order
 * has been deleted.
 */
export async function readFailedOrders(
  db: Database,
  applicationId: ApplicationId,
  { channelCode, channelOrderId }: FailedOrdersQuery,
): Promise<{ syncMode: SyncMode; orders: string[]; failures: Failed[] }> {
  const { id, syncMode } = await findBatch(db, applicationId, { channelCode, channelOrderId });
  const { rows } = await sql<Failed & { payload_version: number; content: string | null }>`
    select payload_version, content, id as "licenseOrderId", cause, args from license_order left join failed_order on license_order_id = id
    where id between ${licenseOrderIdOf(id, 0)} and ${licenseOrderIdOf(id, ORDERS_PER_BATCH - 1)} and cause is not null
    order by id`.execute(db);
  const orders = rows.map(({ payload_version, content }) => {
    if (content === null) throw new Refusal('content_expired', channelOrderId, channelCode);
    return cutOrderText(payload_version, content);
  });
  return {
    syncMode,
    orders,
    failures: rows.map(({ licenseOrderId, cause, args }) => ({ licenseOrderId, cause, args })),
  };
}

/** A failed order, with its cause and the values in the message. */
interface Failed {
  licenseOrderId: LicenseOrderId;
  cause: Cause;
  args: string[];
}

/** The content of an order: JSON in the form of `orderText`, with its passwords, which must not reach an operator. */
export type StoredOrderText = { kind: 'kept'; text: string; bytes: number } | Exclude<OrderContent, { kind: 'kept' }>;

/** Reads the content of an order of any application, if it is stored and at most `maxBytes`. */
export async function readOrderText(
  db: Database,
  { licenseOrderId, customerId, state }: Pick<ConsoleOrderDetail, 'licenseOrderId' | 'customerId' | 'state'>,
  maxBytes: number,
): Promise<StoredOrderText> {
  if (state === 'succeeded') return { kind: 'gone' };
  const { batchId, index } = splitOrderId(licenseOrderId);
  // PostgreSQL, not the event loop, parses the chunk to extract the order.
  const { rows } = await sql<{ content: string }>`
    select content from (
      select content, payload_version from failed_order where license_order_id = ${licenseOrderId}
      union all
      select content, payload_version from held_order where license_order_id = ${licenseOrderId}
      union all
      select '[' || each::text || ']', payload_version from lane_chunk cross join json_array_elements(payload::json) as each
      where batch_id = ${batchId} and ${customerId} = any (customer_ids) and finished_time is null
        and payload_version = ${PAYLOAD_VERSION} and (each ->> 0)::int = ${index}
    ) as stored where payload_version = ${PAYLOAD_VERSION} limit 1`.execute(db);
  // A pending order may have got its outcome meanwhile.
  if (rows[0] === undefined) return { kind: state === 'failed' ? 'expired' : 'gone' };
  const text = cutOrderText(PAYLOAD_VERSION, rows[0].content);
  const bytes = Buffer.byteLength(text);
  return bytes > maxBytes ? { kind: 'too_large', bytes } : { kind: 'kept', text, bytes };
}

/** Parses the content of an order. Throws a PayloadFault if no release writes such a text. */
export function readStoredOrder(text: string): Order {
  const [[, order]] = readStoredOrders(PAYLOAD_VERSION, `[[0,${text}]]`) as [PlacedOrder];
  return order;
}
