import { z } from 'zod';
import { boundedArray, MAX_FAULTS } from '../containers.ts';
import { CustomerId, LicenseOrderId } from '../ids.ts';
import { id, integer, lines, MAX_ADDRESS_CHARACTERS, optionalId, text } from '../scalars.ts';
import { CLOUD_LICENSE_TYPES, LicenseType, SyncMode } from './enums.ts';
import { AssetToBuy, AssetToRevoke, AssetToRevokeProductsOf, atLeastOne, fault } from './items.ts';

/**
 * The description of a field of which only the shape is checked. It also goes into the digest that identifies repeats.
 */
const checked = (meaning: string) => `${meaning} Checked for its shape only.`;

const orderHeader = {
  sequence: integer().describe('Number of the order, unique in the batch: the order in which they take effect.'),
  customerId: id<'CustomerId'>().describe('The customer who buys, or whose asset it must be.'),
  crmCustomerId: text().describe(checked('CRM customer number.')),
  customerName: text().describe(checked('Name of the customer in the channel.')),
  channelCustomerId: text().describe(checked('Number of the customer in the channel.')),
  adminName: text().describe(checked('Name of the administrator.')),
  adminAccount: text().describe(checked('Account of the administrator.')),
  adminEmail: text().describe(checked('E-mail of the administrator.')),
  adminCellNumber: text().describe(checked('Mobile number of the administrator.')),
  passwordMobile: text().describe(checked('Mobile number of the purchaser.')),
  address: lines(MAX_ADDRESS_CHARACTERS).describe(checked('Address of the customer; it may hold line breaks.')),
  customerType: z
    .enum(['personal', 'company'], 'must be personal or company')
    .meta({ id: 'CustomerType', description: 'What a customer is.' })
    .describe(checked('What the customer is.')),
  branchCode: text().describe(checked('Code of the branch.')),
  branchName: text().describe(checked('Name of the branch.')),
  enterpriseGlobalId: id<'EnterpriseId'>().describe('Global id of the enterprise that the customer belongs to.'),
  srcLicenseOrderId: optionalId<'LicenseOrderId'>().describe(
    'In a purchase where it came from, a succeeded new_buy of any customer; M7 shows it with what was bought. In a ' +
      'revocation a succeeded new_buy of the customer: only what that order granted is revoked. Required to revoke a cloud ' +
      'license.',
  ),
  licenseType: LicenseType.describe('License type of a new asset; it must be that of an asset that is there.'),
};

export const NewBuyOrder = z
  .object({
    ...orderHeader,
    orderType: z.literal('new_buy').describe('A purchase.'),
    assets: atLeastOne(AssetToBuy).describe('What to buy.'),
  })
  .meta({ id: 'NewBuyOrder', description: 'An order that buys.' });
export const DeleteAssetOrder = z
  .object({
    ...orderHeader,
    orderType: z.literal('delete_asset').describe('A revocation of assets.'),
    assets: atLeastOne(AssetToRevoke).describe('What to revoke.'),
  })
  .meta({ id: 'DeleteAssetOrder', description: 'An order that revokes assets.' });
export const DeleteProductOrder = z
  .object({
    ...orderHeader,
    orderType: z.literal('delete_product').describe('A revocation of products.'),
    assets: atLeastOne(AssetToRevokeProductsOf).describe('What to revoke.'),
  })
  .meta({ id: 'DeleteProductOrder', description: 'An order that revokes products.' });

/** An order as it was sent; its shape depends on its orderType (interface O5). */
export const Order = z
  .discriminatedUnion('orderType', [NewBuyOrder, DeleteAssetOrder, DeleteProductOrder], {
    error: 'must be new_buy, delete_asset or delete_product',
  })
  .meta({ id: 'Order', description: 'An order, in the shape that its orderType needs.' });
export type Order = z.infer<typeof Order>;
export type NewBuyOrder = z.infer<typeof NewBuyOrder>;
export type DeleteAssetOrder = z.infer<typeof DeleteAssetOrder>;
export type DeleteProductOrder = z.infer<typeof DeleteProductOrder>;

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
      .max(MAX_ORDERS_PER_BATCH, `must contain at most ${MAX_ORDERS_PER_BATCH} orders`)
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
