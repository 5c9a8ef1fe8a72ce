import { splitOrderId } from '@lockstep/assets';
import type { LicenseOrderId } from '@lockstep/contract';
import type { Trx } from '@lockstep/platform';
import { laneOf } from './lanes.ts';
import { PAYLOAD_VERSION } from './order-text.ts';
import { type PlacedOrder, writeStoredOrders } from './stored-orders.ts';

/** Keeps the content of an order that has failed, in the form in which it was stored while it was pending. */
export async function keepFailedOrder(trx: Trx, licenseOrderId: LicenseOrderId, placed: PlacedOrder): Promise<void> {
  const [, order] = placed;
  await trx
    .insertInto('failed_order')
    .values({
      license_order_id: licenseOrderId,
      batch_id: splitOrderId(licenseOrderId).batchId,
      lane: laneOf(order.customerId),
      payload_version: PAYLOAD_VERSION,
      content: writeStoredOrders([placed]),
    })
    .execute();
}
