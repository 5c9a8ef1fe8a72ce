import { z } from 'zod';
import { arrayOf, MAX_FAULTS } from './bounded-array.ts';
import type { Cause } from './causes.ts';
import { CustomerId, LicenseOrderId } from './ids.ts';
import {
  date,
  flag,
  id,
  integer,
  lines,
  long,
  MAX_ADDRESS_CHARACTERS,
  optional,
  optionalId,
  optionalText,
  PERIOD,
  secret,
  text,
  textOrEmpty,
} from './scalars.ts';

export const MAX_ORDERS_PER_BATCH = 5_000;
/** Elements of one list of O5 and of its preview (decisions 4). */
export const MAX_LIST_ELEMENTS = 10_000;
/** The body of O5 and of its preview. */
export const MAX_BATCH_BYTES = 32 * 1024 * 1024;
/** The body of every other call. */
export const MAX_BODY_BYTES = 1024 * 1024;

/** interface.md O5, licenseType values. */
const LICENSE_TYPES = [
  'normal_unrecover_usbkey',
  'normal_recover_usbkey',
  'normal_unrecover_lan_usbkey',
  'normal_recover_lan_usbkey',
  'identity_usbkey',
  'identity_lan_usbkey',
  'softkey',
  'lan_softkey',
  'product_entity',
  'cloud_account',
  'cloud_customer',
  'cloud_personal',
  'lk_product_usbkey',
  'lk_auth_usbkey',
] as const;

export const LicenseType = z.enum(LICENSE_TYPES, `must be one of ${LICENSE_TYPES.join(', ')}`).meta({
  id: 'LicenseType',
  description:
    'What a license is in. Locks: normal_… (re-fillable where it says recover, for a network where it says lan), ' +
    'identity_usbkey and identity_lan_usbkey (identity locks), lk_product_usbkey (product lock), lk_auth_usbkey (login ' +
    'lock). Certificates: softkey, and lan_softkey for a network. Cloud: cloud_account, cloud_customer (an enterprise) ' +
    'and cloud_personal. product_entity: a product entity.',
});
export type LicenseType = z.infer<typeof LicenseType>;

export const CLOUD_LICENSE_TYPES: readonly LicenseType[] = ['cloud_account', 'cloud_customer', 'cloud_personal'];

export const OrderType = z
  .enum(['new_buy', 'delete_asset', 'delete_product'], 'is not an order type')
  .meta({ id: 'OrderType', description: 'What an order does: a purchase, or a revocation of assets or of products.' });
export type OrderType = z.infer<typeof OrderType>;

/** What became of an order (decisions 6.4). */
export const OrderState = z
  .enum(['pending', 'succeeded', 'failed'], 'must be pending, succeeded or failed')
  .meta({ id: 'OrderState', description: 'What became of an order.' });

export const SyncMode = z.enum(['sync', 'async'], 'must be sync or async').meta({
  id: 'SyncMode',
  description: 'async: the answer means that the batch is stored; sync: that all of its orders have taken effect.',
});
export type SyncMode = z.infer<typeof SyncMode>;

/** A list of bounded length (decisions 6.1). */
const list = <Item extends z.ZodType>(item: Item) =>
  arrayOf(item).max(MAX_LIST_ELEMENTS, `must hold at most ${MAX_LIST_ELEMENTS} elements`);

/** A fault that a rule over several fields finds; `cause` goes into the answer. */
function fault(cause: Cause, path: PropertyKey[], input: unknown) {
  return { code: 'custom' as const, message: cause, path, input, params: { cause } };
}

interface Period {
  limitStartDate?: number | undefined;
  limitEndDate?: number | undefined;
}

/** A start after its end is refused (decisions 4). */
function checkPeriod(value: Period, context: z.RefinementCtx): void {
  if (
    value.limitStartDate !== undefined &&
    value.limitEndDate !== undefined &&
    value.limitStartDate > value.limitEndDate
  ) {
    context.addIssue(fault('dates_reversed', ['limitStartDate'], value.limitStartDate));
  }
}

const ExtendedAttribute = z
  .object({
    extendCode: optionalText().describe('Code of the attribute.'),
    extendValue: optionalText().describe('Value of the attribute.'),
  })
  .meta({ id: 'ExtendedAttribute', description: 'An extended attribute of an asset.' });

const ProductFeature = z
  .object({
    featureCode: text().describe('Code of the feature.'),
    featureName: text().describe('Name of the feature.'),
    featureValue: text().describe('Value of the feature.'),
    featureValueType: text().describe('Type of the value.'),
    trial: flag().describe('1 trial, 0 not.'),
    trialEndDate: date().describe(
      'When the trial ends: milliseconds since 1970-01-01 UTC. A text in ISO 8601 is taken too, in UTC where it names no offset.',
    ),
  })
  .meta({ id: 'FeatureToBuy', description: 'A feature of a product to buy. It is stored and shown as it was sent.' });

const STRICT =
  'In a revocation: true takes only products whose limitConcurrent and dates are equal too, false or nothing any of that productUri.';

const ProductToBuy = z
  .object({
    crmProductId: text().describe('CRM product instance id. Stored.'),
    parentCrmProductId: textOrEmpty().describe(
      'CRM parent instance id (asset instance); may be empty or null. Stored.',
    ),
    productUri: text().describe('Product id: gmsPid or appKey. A delete_product finds the product by it.'),
    productName: text().describe('Name of the product. Stored.'),
    gmsPid: optionalText().describe('Product identifier of a tool. Stored.'),
    appKey: optionalText().describe('Product identifier of a web application. Stored.'),
    productType: text().describe('Type of the product. Stored.'),
    limitStartDate: optional(long()).describe(PERIOD.start),
    limitEndDate: optional(long()).describe(PERIOD.end),
    limitConcurrent: integer().describe('Concurrent nodes.'),
    limitTimeDuration: long().describe('Accumulated usage. Stored.'),
    strictMatchWhenDelete: optional(z.boolean())
      .transform((value) => value ?? false)
      .describe('Means nothing of a product to buy, and is not stored.'),
    trial: flag().describe('1 trial, 0 not. Stored.'),
    trialEndDate: long().describe('When the trial ends: milliseconds since 1970-01-01 UTC. Stored.'),
    passwords: optional(list(secret())).describe('Passwords of the licence inside the lock. Stored.'),
    timeUnit: text().describe('Unit of time. Stored; dates are never computed.'),
    timeUnitQuantity: integer().describe('How many units. Stored.'),
    timeDurationExpression: text().describe('How long it is bought for, in y-m-d form. Stored.'),
    srcLicenseOrderId: optionalId<'LicenseOrderId'>().describe(
      'Where the product came from, in place of the srcLicenseOrderId of the order: a succeeded new_buy of any customer.',
    ),
    productFeatures: list(ProductFeature).describe('Features of the product; may be empty.'),
  })
  .superRefine(checkPeriod)
  .meta({ id: 'Product', description: 'A product to buy.' });
export type ProductToBuy = z.infer<typeof ProductToBuy>;

const ProductToRevoke = z
  .object({
    crmProductId: text().describe('CRM product instance id. It is not compared.'),
    productUri: text().describe('Product id: gmsPid or appKey. Only products of this id are revoked.'),
    limitStartDate: optional(long()).describe(`${PERIOD.start} Compared where the match is strict.`),
    limitEndDate: optional(long()).describe('When it ends. Compared where the match is strict; absent equals absent.'),
    limitConcurrent: integer().describe('Concurrent nodes. Compared where the match is strict.'),
    strictMatchWhenDelete: optional(z.boolean())
      .transform((value) => value ?? false)
      .describe(STRICT),
  })
  .superRefine(checkPeriod)
  .meta({ id: 'ProductToRevoke', description: 'Which products to revoke.' });
export type ProductToRevoke = z.infer<typeof ProductToRevoke>;

/** The type of `optional(z.array(…))`, spelled out because merchandise nests in itself. */
type OptionalList<Item extends z.ZodType> = ReturnType<typeof optional<z.ZodArray<Item>>>;

const Merchandise = z
  .object({
    crmProductId: text().describe('CRM product instance id. Stored.'),
    parentCrmProductId: textOrEmpty().describe('CRM parent instance id; may be empty or null. Stored.'),
    merchandiseNum: text().describe('Number of the merchandise. Stored.'),
    merchandiseName: text().describe('Name of the merchandise. Stored.'),
    parentMerchandiseNum: textOrEmpty().describe('Number of the parent; may be empty or null. Stored.'),
    timeDurationExpression: text().describe('How long it is bought for, in y-m-d form. Stored.'),
    get children(): OptionalList<typeof Merchandise> {
      return optional(list(Merchandise)).describe(
        'Merchandise inside, 16 deep at most. It is revoked with this one, and this one with the last of what is in it.',
      );
    },
    licenseOrderProductList: list(ProductToBuy).describe(
      'Products inside. They are revoked with this one, and this one with the last of what is in it.',
    ),
  })
  .meta({ id: 'Merchandise', description: 'A merchandise (package) to buy, with what is in it.' });
export type Merchandise = z.infer<typeof Merchandise>;

const atLeastOne = <Item extends z.ZodType>(item: Item) => list(item).min(1, 'must not be empty');

const AssetToBuy = z
  .object({
    assetNos: atLeastOne(text()).describe('Numbers of the assets to make, to add to, or to transfer.'),
    assetExtendList: optional(list(ExtendedAttribute)).describe(
      'Extended attributes. On an asset that is there they are added or replaced.',
    ),
    limitStartDate: optional(long()).describe(`${PERIOD.start} On an asset that is there it replaces the one before.`),
    limitEndDate: optional(long()).describe(`${PERIOD.end} On an asset that is there it replaces the one before.`),
    borrowedUsbKey: optional(z.boolean()).describe(
      'Whether the member center takes it for a borrowed lock. On an asset that is there it replaces what was before.',
    ),
    transferedAssetNum: optional(z.boolean()).describe(
      'Whether an asset that is active at another customer moves here, with everything on it. It may then have nothing to buy.',
    ),
    products: optional(list(ProductToBuy)).describe('Products to buy onto each of the assets.'),
    merchandises: optional(list(Merchandise)).describe('Merchandise to buy onto each of the assets.'),
  })
  .superRefine(checkPeriod)
  .meta({ id: 'AssetToBuy', description: 'Assets to buy or to buy onto, and what.' });
export type AssetToBuy = z.infer<typeof AssetToBuy>;

const AssetToRevoke = z
  .object({ assetNos: atLeastOne(text()).describe('Numbers of the assets.') })
  .meta({ id: 'AssetToRevoke', description: 'Assets to revoke.' });

const AssetToRevokeProductsOf = z
  .object({
    assetNos: atLeastOne(text()).describe('Numbers of the assets.'),
    limitStartDate: optional(long()).describe('When the asset begins. Checked for its shape only.'),
    limitEndDate: optional(long()).describe('When the asset ends. Checked for its shape only.'),
    products: atLeastOne(ProductToRevoke).describe('Which products; each must match at least one of each asset.'),
  })
  .superRefine(checkPeriod)
  .meta({ id: 'AssetToRevokeProductsOf', description: 'Assets, and which of their products to revoke.' });

/** What is checked for its shape and goes into the digest by which a repeat is known; nothing else is done with it. */
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

const NewBuyOrder = z
  .object({
    ...orderHeader,
    orderType: z.literal('new_buy').describe('A purchase.'),
    assets: atLeastOne(AssetToBuy).describe('What to buy.'),
  })
  .meta({ id: 'NewBuyOrder', description: 'An order that buys.' });
const DeleteAssetOrder = z
  .object({
    ...orderHeader,
    orderType: z.literal('delete_asset').describe('A revocation of assets.'),
    assets: atLeastOne(AssetToRevoke).describe('What to revoke.'),
  })
  .meta({ id: 'DeleteAssetOrder', description: 'An order that revokes assets.' });
const DeleteProductOrder = z
  .object({
    ...orderHeader,
    orderType: z.literal('delete_product').describe('A revocation of products.'),
    assets: atLeastOne(AssetToRevokeProductsOf).describe('What to revoke.'),
  })
  .meta({ id: 'DeleteProductOrder', description: 'An order that revokes products.' });

/** An order as it was sent, in the shape that its orderType needs (interface.md O5, "Shape by order type"). */
const Order = z
  .discriminatedUnion('orderType', [NewBuyOrder, DeleteAssetOrder, DeleteProductOrder], {
    error: 'must be new_buy, delete_asset or delete_product',
  })
  .meta({ id: 'Order', description: 'An order, in the shape that its orderType needs.' });
export type Order = z.infer<typeof Order>;
export type NewBuyOrder = z.infer<typeof NewBuyOrder>;
export type DeleteAssetOrder = z.infer<typeof DeleteAssetOrder>;
export type DeleteProductOrder = z.infer<typeof DeleteProductOrder>;

/** The faults of a batch by the rules of decisions 6.1 that look at more than one field. */
function* faultsOfBatch(orders: readonly Order[]) {
  const sequences = new Set<number>();
  for (const [index, order] of orders.entries()) {
    const path = ['orderList', index];
    if (sequences.has(order.sequence)) {
      yield fault('sequence_repeated', [...path, 'sequence'], order.sequence);
    }
    sequences.add(order.sequence);
    yield* faultsOfOrder(order, path);
  }
}

function* faultsOfOrder(order: Order, path: PropertyKey[]) {
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

/** The body of O5 (interface.md O5; decisions 6.1). */
export const BatchOrder = z
  .object({
    channelCode: text().describe('The channel that sends the batch.'),
    channelOrderId: text().describe('Number of the batch; with application and channelCode its key.'),
    syncMode: SyncMode.describe('Whether to wait for the orders to take effect, all or none, or to store them.'),
    orderList: arrayOf(Order)
      .min(1, 'must not be empty')
      .max(MAX_ORDERS_PER_BATCH, `must hold at most ${MAX_ORDERS_PER_BATCH} orders`)
      .describe(`The orders: 1 to ${MAX_ORDERS_PER_BATCH}.`),
  })
  .superRefine(({ orderList }, context) => {
    for (const found of faultsOfBatch(orderList).take(MAX_FAULTS)) context.addIssue(found);
  })
  .meta({ id: 'BatchOrder', description: 'A batch of orders.' });
export type BatchOrder = z.infer<typeof BatchOrder>;

/** The query of O5. */
export const BatchOrderQuery = z.object({
  appKey: text().describe('The key of the application that calls; it must be that of the access token.'),
});

/** One entry of O5's answer: final from that moment (decisions 6.1). */
export const AcceptedOrder = z
  .object({
    sequence: integer().describe('Sequence number of the order.'),
    licenseOrderId: LicenseOrderId.describe('Id of the order. It is final.'),
    customerId: CustomerId.describe('Customer of the order.'),
  })
  .meta({ id: 'AcceptedOrder', description: 'An order that was accepted.' });
export type AcceptedOrder = z.infer<typeof AcceptedOrder>;
