import { z } from 'zod';
import { boundedArray, MAX_FAULTS } from '../containers.ts';
import { CustomerId, LicenseOrderId } from '../ids.ts';
import { integer, text } from '../scalars.ts';
import { CLOUD_LICENSE_TYPES, SyncMode } from './enums.ts';
import { fault } from './items.ts';
import { Order } from './orders.ts';

export const MAX_ORDERS_PER_BATCH = 5_000;

/** Finds the faults of a batch that take more than one field to see (rules 6.1). */
function* findBatchFaults(orders: readonly Order[]) {
  const sequences = new Set<number>();
  for (const [index, order] of orders.entries()) {
    const path = ['orderList', index];
    if (sequences.has(order.sequence)) {
      yield fault('sequence_repeated', [...path, 'sequence'], order.sequence);
    }
    sequences.add(order.sequence);
    yield* findOrderFaults(order, path);
  }
}

/** Finds the same of one order; `path` leads to it. */
function* findOrderFaults(order: Order, path: PropertyKey[]) {
  const at = (...rest: PropertyKey[]) => [...path, ...rest];
  if (order.orderType !== 'new_buy' && !order.srcLicenseOrderId && CLOUD_LICENSE_TYPES.includes(order.licenseType)) {
    yield fault('src_license_order_required', at('srcLicenseOrderId'), undefined);
  }
  for (const [index, asset] of order.assets.entries()) {
    const seen = new Set<string>();
    for (const [position, assetNum] of asset.assetNos.entries()) {
      if (seen.has(assetNum)) {
        yield fault('asset_number_repeated', at('assets', index, 'assetNos', position), assetNum);
      }
      seen.add(assetNum);
    }
  }
  if (order.orderType !== 'new_buy') return;
  for (const [index, asset] of order.assets.entries()) {
    if (!asset.transferedAssetNum && !asset.products?.length && !asset.merchandises?.length) {
      yield fault('asset_without_items', at('assets', index, 'products'), asset.products);
    }
  }
}

/** The body of O5 (interface O5; rules 6.1). */
export const BatchOrder = z
  .object({
    channelCode: text().describe('The channel that sends the batch.'),
    channelOrderId: text().describe('Number of the batch; with application and channelCode its key.'),
    syncMode: SyncMode.describe('Whether to wait for the orders to take effect, all or none, or to store them.'),
    orderList: boundedArray(Order)
      .min(1, 'must not be empty')
      .max(MAX_ORDERS_PER_BATCH, `must hold at most ${MAX_ORDERS_PER_BATCH} orders`)
      .describe(`The orders: 1 to ${MAX_ORDERS_PER_BATCH}.`),
  })
  .superRefine(({ orderList }, context) => {
    for (const found of findBatchFaults(orderList).take(MAX_FAULTS)) context.addIssue(found);
  })
  .meta({ id: 'BatchOrder', description: 'A batch of orders.' });
export type BatchOrder = z.infer<typeof BatchOrder>;

/** The query of O5. */
export const BatchOrderQuery = z.object({
  appKey: text().describe('The key of the application that calls; it must be that of the access token.'),
});

/** One entry of O5's answer: final from that moment (rules 6.1). */
export const AcceptedOrder = z
  .object({
    sequence: integer().describe('Sequence number of the order.'),
    licenseOrderId: LicenseOrderId.describe('Id of the order. It is final.'),
    customerId: CustomerId.describe('Customer of the order.'),
  })
  .meta({ id: 'AcceptedOrder', description: 'An order that was accepted.' });
export type AcceptedOrder = z.infer<typeof AcceptedOrder>;
