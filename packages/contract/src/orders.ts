import { z } from 'zod';
import { arrayOf, MAX_FAULTS } from './bounded-array.ts';
import type { Cause } from './causes.ts';
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

export const licenseType = z.enum(LICENSE_TYPES, `must be one of ${LICENSE_TYPES.join(', ')}`);
export type LicenseType = z.infer<typeof licenseType>;

export const CLOUD_LICENSE_TYPES: readonly LicenseType[] = ['cloud_account', 'cloud_customer', 'cloud_personal'];

export const orderType = z.enum(['new_buy', 'delete_asset', 'delete_product'], 'is not an order type');
export type OrderType = z.infer<typeof orderType>;

/** What became of an order (decisions 6.4). */
export const orderState = z.enum(['pending', 'succeeded', 'failed']);

export const syncMode = z.enum(['sync', 'async'], 'must be sync or async');
export type SyncMode = z.infer<typeof syncMode>;

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

const extendedAttribute = z.object({ extendCode: optionalText(), extendValue: optionalText() });

const productFeature = z.object({
  featureCode: text(),
  featureName: text(),
  featureValue: text(),
  featureValueType: text(),
  trial: flag(),
  trialEndDate: date(),
});

const productToBuy = z
  .object({
    crmProductId: text().describe('CRM product instance id'),
    parentCrmProductId: textOrEmpty().describe('CRM parent instance id (asset instance); may be empty'),
    productUri: text().describe('Product id: gmsPid or appKey'),
    productName: text(),
    gmsPid: optionalText(),
    appKey: optionalText(),
    productType: text(),
    limitStartDate: optional(long()).describe('Effective time'),
    limitEndDate: optional(long()).describe('Expiry time'),
    limitConcurrent: integer().describe('Concurrent node count'),
    limitTimeDuration: long().describe('Accumulated usage duration'),
    strictMatchWhenDelete: optional(z.boolean()).transform((value) => value ?? false),
    trial: flag().describe('0 no, 1 yes'),
    trialEndDate: long().describe('Trial expiry'),
    passwords: optional(list(secret())).describe('Passwords of the licence inside the lock'),
    timeUnit: text(),
    timeUnitQuantity: integer(),
    timeDurationExpression: text().describe('Time expression in y-m-d form'),
    srcLicenseOrderId: optionalId().describe('The order that the product was transferred from'),
    productFeatures: list(productFeature),
  })
  .superRefine(checkPeriod)
  .meta({ id: 'Product' });
export type ProductToBuy = z.infer<typeof productToBuy>;

const productToRevoke = z
  .object({
    crmProductId: text(),
    productUri: text().describe('Product id: gmsPid or appKey'),
    limitStartDate: optional(long()),
    limitEndDate: optional(long()),
    limitConcurrent: integer().describe('Concurrent node count'),
    strictMatchWhenDelete: optional(z.boolean()).transform((value) => value ?? false),
  })
  .superRefine(checkPeriod)
  .meta({ id: 'ProductToRevoke' });
export type ProductToRevoke = z.infer<typeof productToRevoke>;

/** The type of `optional(z.array(…))`, spelled out because merchandise nests in itself. */
type OptionalList<Item extends z.ZodType> = ReturnType<typeof optional<z.ZodArray<Item>>>;

const merchandise = z
  .object({
    crmProductId: text(),
    parentCrmProductId: textOrEmpty(),
    merchandiseNum: text().describe('Merchandise (package) number'),
    merchandiseName: text(),
    parentMerchandiseNum: textOrEmpty().describe('Number of the parent; may be empty'),
    timeDurationExpression: text(),
    get children(): OptionalList<typeof merchandise> {
      return optional(list(merchandise));
    },
    licenseOrderProductList: list(productToBuy),
  })
  .meta({ id: 'Merchandise' });
export type Merchandise = z.infer<typeof merchandise>;

const atLeastOne = <Item extends z.ZodType>(item: Item) => list(item).min(1, 'must not be empty');

const assetToBuy = z
  .object({
    assetNos: atLeastOne(text()).describe('Asset numbers'),
    assetExtendList: optional(list(extendedAttribute)).describe('Extended attributes'),
    limitStartDate: optional(long()).describe('Asset limit start'),
    limitEndDate: optional(long()).describe('Asset limit end'),
    borrowedUsbKey: optional(z.boolean()).describe('Lent-lock flag'),
    transferedAssetNum: optional(z.boolean()).describe('Whether the asset moves here from another customer'),
    products: optional(list(productToBuy)),
    merchandises: optional(list(merchandise)),
  })
  .superRefine(checkPeriod)
  .meta({ id: 'AssetToBuy' });
export type AssetToBuy = z.infer<typeof assetToBuy>;

const assetToRevoke = z.object({ assetNos: atLeastOne(text()) }).meta({ id: 'AssetToRevoke' });

const assetToRevokeProductsOf = z
  .object({
    assetNos: atLeastOne(text()),
    limitStartDate: optional(long()),
    limitEndDate: optional(long()),
    products: atLeastOne(productToRevoke),
  })
  .superRefine(checkPeriod)
  .meta({ id: 'AssetToRevokeProductsOf' });

const orderHeader = {
  sequence: integer().describe('Order sequence number, unique in the batch'),
  customerId: id().describe('Authorized-platform customer id'),
  crmCustomerId: text().describe('CRM customer number'),
  customerName: text().describe('Channel customer name'),
  channelCustomerId: text().describe('Channel customer number'),
  adminName: text(),
  adminAccount: text(),
  adminEmail: text(),
  adminCellNumber: text(),
  passwordMobile: text().describe('Purchaser mobile number'),
  address: lines(MAX_ADDRESS_CHARACTERS),
  customerType: z.enum(['personal', 'company'], 'must be personal or company'),
  branchCode: text(),
  branchName: text(),
  enterpriseGlobalId: id().describe('Enterprise main account global id'),
  srcLicenseOrderId: optionalId().describe('In a revocation: the order whose product is to be removed'),
  licenseType,
};

const newBuyOrder = z
  .object({ ...orderHeader, orderType: z.literal('new_buy'), assets: atLeastOne(assetToBuy) })
  .meta({ id: 'NewBuyOrder' });
const deleteAssetOrder = z
  .object({ ...orderHeader, orderType: z.literal('delete_asset'), assets: atLeastOne(assetToRevoke) })
  .meta({ id: 'DeleteAssetOrder' });
const deleteProductOrder = z
  .object({ ...orderHeader, orderType: z.literal('delete_product'), assets: atLeastOne(assetToRevokeProductsOf) })
  .meta({ id: 'DeleteProductOrder' });

/** An order as it was sent, in the shape that its orderType needs (interface.md O5, "Shape by order type"). */
const order = z.discriminatedUnion('orderType', [newBuyOrder, deleteAssetOrder, deleteProductOrder], {
  error: 'must be new_buy, delete_asset or delete_product',
});
export type Order = z.infer<typeof order>;
export type NewBuyOrder = z.infer<typeof newBuyOrder>;
export type DeleteAssetOrder = z.infer<typeof deleteAssetOrder>;
export type DeleteProductOrder = z.infer<typeof deleteProductOrder>;

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
export const batchOrderBody = z
  .object({
    channelCode: text().describe('Channel code'),
    channelOrderId: text().describe('Customer order number; the key of the batch'),
    syncMode,
    orderList: arrayOf(order)
      .min(1, 'must not be empty')
      .max(MAX_ORDERS_PER_BATCH, `must hold at most ${MAX_ORDERS_PER_BATCH} orders`),
  })
  .superRefine(({ orderList }, context) => {
    for (const found of faultsOfBatch(orderList).take(MAX_FAULTS)) context.addIssue(found);
  })
  .meta({ id: 'BatchOrder' });
export type BatchOrder = z.infer<typeof batchOrderBody>;

/** The query of O5. */
export const batchOrderQuery = z.object({ appKey: text().describe('The key of the application that calls') });

/** One entry of O5's answer: final from that moment (decisions 6.1). */
export const acceptedOrder = z.object({ sequence: z.number(), licenseOrderId: z.string(), customerId: z.string() });
export type AcceptedOrder = z.infer<typeof acceptedOrder>;
