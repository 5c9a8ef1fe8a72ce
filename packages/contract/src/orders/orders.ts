import { z } from 'zod';
import { boundedArray, MAX_FAULTS, named, namedEnum } from '../containers.ts';
import {
  CustomerId,
  id,
  integer,
  LicenseOrderId,
  lines,
  MAX_ADDRESS_CHARACTERS,
  optionalId,
  text,
} from '../scalars.ts';
import { fault } from '../templates.ts';
import { ORDER_TYPES } from '../words.ts';
import { CLOUD_LICENSE_TYPES, LicenseType, SyncMode } from './enums.ts';
import { AssetToBuy, AssetToRevoke, AssetToRevokeProductsOf, atLeastOne, issueOf } from './items.ts';

/** Describes a field that orders don't use. It still counts as content: a resubmitted batch must not change it. */
const checked = (meaning: string) => `${meaning} Validated only.`;

const orderHeader = {
  sequence: integer().describe(
    'Number of the order, unique in the batch. Orders of a customer take effect in this order.',
  ),
  customerId: id<'CustomerId'>().describe('The customer who buys, or owns the assets to revoke.'),
  crmCustomerId: text().describe(checked('CRM customer number.')),
  customerName: text().describe(checked('Name of the customer in the channel.')),
  channelCustomerId: text().describe(checked('Id of the customer in the channel.')),
  adminName: text().describe(checked('Name of the administrator.')),
  adminAccount: text().describe(checked('Account of the administrator.')),
  adminEmail: text().describe(checked('E-mail of the administrator.')),
  adminCellNumber: text().describe(checked('Mobile number of the administrator.')),
  passwordMobile: text().describe(checked('Mobile number of the purchaser.')),
  address: lines(MAX_ADDRESS_CHARACTERS).describe(checked('Address of the customer; may contain line breaks.')),
  customerType: namedEnum('CustomerType', 'Whether a customer is a person or a company.', [
    'personal',
    'company',
  ]).describe(checked('Type of the customer.')),
  branchCode: text().describe(checked('Code of the branch.')),
  branchName: text().describe(checked('Name of the branch.')),
  enterpriseGlobalId: id<'EnterpriseId'>().describe('Global id of the enterprise of the customer.'),
  srcLicenseOrderId: optionalId<'LicenseOrderId'>().describe(
    'Id of a succeeded new_buy order. In a purchase: the source of the licenses, from any customer; M7 returns it. In a ' +
      "revocation: the customer's order to revoke; absent: all of them. Required to revoke a cloud license.",
  ),
  licenseType: LicenseType.describe('License type of a new asset. An existing asset must have the same.'),
};

export const NewBuyOrder = named('NewBuyOrder', 'An order that buys.', {
  ...orderHeader,
  orderType: z.literal('new_buy').describe('A purchase.'),
  assets: atLeastOne(AssetToBuy).describe('Assets and what to buy.'),
});
export const DeleteAssetOrder = named('DeleteAssetOrder', 'An order that revokes assets.', {
  ...orderHeader,
  orderType: z.literal('delete_asset').describe('A revocation of assets.'),
  assets: atLeastOne(AssetToRevoke).describe('Assets to revoke.'),
});
export const DeleteProductOrder = named('DeleteProductOrder', 'An order that revokes products.', {
  ...orderHeader,
  orderType: z.literal('delete_product').describe('A revocation of products.'),
  assets: atLeastOne(AssetToRevokeProductsOf).describe('Assets, each with the products to revoke.'),
});

/** What all orders have, whatever their type. */
const AnyOrder = DeleteAssetOrder.omit({ orderType: true });

export const Order = z
  .discriminatedUnion('orderType', [NewBuyOrder, DeleteAssetOrder, DeleteProductOrder], {
    error: ({ code }) => (code === 'invalid_union' ? fault('one_of', ORDER_TYPES.join(', ')) : undefined),
  })
  .superRefine(
    (order, context) => {
      for (const issue of AnyOrder.safeParse(order).error?.issues ?? []) context.addIssue({ ...issue, continue: true });
    },
    // Without a type, zod checks no other field, so that the caller would learn of the others' faults one call later.
    { when: ({ issues }) => issues.some(({ code }) => code === 'invalid_union') },
  )
  .meta({
    id: 'Order',
    description: 'An order; its fields depend on orderType.',
    discriminator: {
      propertyName: 'orderType',
      mapping: {
        new_buy: '#/components/schemas/NewBuyOrder',
        delete_asset: '#/components/schemas/DeleteAssetOrder',
        delete_product: '#/components/schemas/DeleteProductOrder',
      },
    },
  });
export type Order = z.infer<typeof Order>;
export type NewBuyOrder = z.infer<typeof NewBuyOrder>;
export type DeleteAssetOrder = z.infer<typeof DeleteAssetOrder>;
export type DeleteProductOrder = z.infer<typeof DeleteProductOrder>;

export const MAX_ORDERS_PER_BATCH = 2_000;

/** Finds the faults of a batch that involve more than one field (rules 6.1). */
function* findBatchFaults(orders: readonly Order[]) {
  const sequences = new Set<number>();
  for (const [index, order] of orders.entries()) {
    const path = ['orderList', index];
    if (sequences.has(order.sequence)) {
      yield issueOf('sequence_repeated', [...path, 'sequence'], order.sequence);
    }
    sequences.add(order.sequence);
    yield* findOrderFaults(order, path);
  }
}

/** Does the same for one order; `path` is that of the order. */
function* findOrderFaults(order: Order, path: PropertyKey[]) {
  const at = (...rest: PropertyKey[]) => [...path, ...rest];
  if (order.orderType !== 'new_buy' && !order.srcLicenseOrderId && CLOUD_LICENSE_TYPES.includes(order.licenseType)) {
    yield issueOf('src_license_order_required', at('srcLicenseOrderId'), undefined);
  }
  for (const [index, asset] of order.assets.entries()) {
    const seen = new Set<string>();
    for (const [position, assetNum] of asset.assetNos.entries()) {
      if (seen.has(assetNum)) {
        yield issueOf('asset_number_repeated', at('assets', index, 'assetNos', position), assetNum);
      }
      seen.add(assetNum);
    }
  }
  if (order.orderType !== 'new_buy') return;
  for (const [index, asset] of order.assets.entries()) {
    if (!asset.transferedAssetNum && !asset.products?.length && !asset.merchandises?.length) {
      yield issueOf('asset_without_items', at('assets', index, 'products'), asset.products);
    }
  }
}

/** The body of O5 (interface O5; rules 6.1). */
export const BatchOrder = z
  .object({
    channelCode: text().describe('Channel of the batch.'),
    channelOrderId: text().describe('Your id of the batch. It is unique in the channel for your application.'),
    syncMode: SyncMode.describe('async or sync.'),
    orderList: boundedArray(Order)
      .min(1, fault('empty'))
      .max(MAX_ORDERS_PER_BATCH, fault('too_many', MAX_ORDERS_PER_BATCH))
      .describe(`The orders: 1 to ${MAX_ORDERS_PER_BATCH}.`),
  })
  .superRefine(({ orderList }, context) => {
    for (const found of findBatchFaults(orderList).take(MAX_FAULTS)) context.addIssue(found);
  })
  .meta({ id: 'BatchOrder', description: 'A batch of orders.' });
export type BatchOrder = z.infer<typeof BatchOrder>;

export const BatchOrderQuery = z.object({
  appKey: text().describe('The appKey of your application; must match the access token.'),
});

/** One entry of O5's answer (rules 6.1). */
export const AcceptedOrder = named('AcceptedOrder', 'An accepted order.', {
  sequence: integer().describe('Sequence number of the order.'),
  licenseOrderId: LicenseOrderId.describe('Final id of the order.'),
  customerId: CustomerId.describe('Customer of the order.'),
});
export type AcceptedOrder = z.infer<typeof AcceptedOrder>;
