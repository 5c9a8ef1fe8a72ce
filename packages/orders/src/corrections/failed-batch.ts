import { licenseOrderIdOf, ORDERS_PER_BATCH } from '@lockstep/assets';
import { type ApplicationId, type FailedOrdersQuery, Refusal, type SyncMode } from '@lockstep/contract';
import type { Database } from '@lockstep/platform';
import { sql } from 'kysely';
import { findBatch } from '../accepting/batch.ts';
import { cutOrderText } from '../stored-orders.ts';

/**
 * Reads the failed orders of a batch as they were sent (rules 6.7), each as JSON, in orderList order. They are not
 * parsed.
 *
 * Throws a Refusal: batch_not_found, also for batches of other applications; content_expired if the content of an order
 * has been deleted.
 */
export async function readFailedOrders(
  db: Database,
  applicationId: ApplicationId,
  { channelCode, channelOrderId }: FailedOrdersQuery,
): Promise<{ syncMode: SyncMode; orders: string[] }> {
  const { id, syncMode } = await findBatch(db, applicationId, { channelCode, channelOrderId });
  const { rows } = await sql<{ payload_version: number; content: string | null }>`
    select payload_version, content from license_order left join failed_order on license_order_id = id
    where id between ${licenseOrderIdOf(id, 0)} and ${licenseOrderIdOf(id, ORDERS_PER_BATCH - 1)} and cause is not null
    order by id`.execute(db);
  const orders = rows.map(({ payload_version, content }) => {
    if (content === null) throw new Refusal('content_expired', channelOrderId, channelCode);
    return cutOrderText(payload_version, content);
  });
  return { syncMode, orders };
}
