import { ORDERS_PER_BATCH } from '@lockstep/assets';
import { nested, type Order } from '@lockstep/contract';
import { z } from 'zod';

/** The version of payloads that consist of `orderText` (lane_chunk.payload_version, failed_order.payload_version). */
export const PAYLOAD_VERSION = 1;
/** The version of digests over `orderText` (batch.digest_version). */
export const DIGEST_VERSION = 1;

/**
 * Returns an order as text, in form 1. Digests are computed over it, and it is stored until the order has taken effect.
 * Fields are in the order of the request schema, whatever order the client sent; defaults are included, absent fields
 * are not.
 */
export function orderText(order: Order): string {
  const stored: StoredOrderV1 = order;
  return JSON.stringify(stored);
}

/*
 * The stored form of orders, version 1. It never changes (no field, no type, not even the order of fields), because
 * databases contain it and digests are computed over it. A field of a later release goes into a new version, so nothing
 * here uses the request schemas. The types are those of JSON; the planner interprets the values.
 */

const text = z.string();
const texts = z.array(text);
const number = z.number();
const flag = z.boolean();
const period = { limitStartDate: number.optional(), limitEndDate: number.optional() };

/** Fields that are texts. */
const textsOf = <Name extends string>(...names: Name[]) =>
  Object.fromEntries(names.map((name) => [name, text])) as Record<Name, typeof text>;

const Feature = z.object({
  ...textsOf('featureCode', 'featureName', 'featureValue', 'featureValueType'),
  trial: number,
  trialEndDate: number,
});

const Product = z.object({
  ...textsOf('crmProductId', 'parentCrmProductId', 'productUri', 'productName'),
  gmsPid: text.optional(),
  appKey: text.optional(),
  productType: text,
  ...period,
  limitConcurrent: number,
  limitTimeDuration: number,
  strictMatchWhenDelete: flag,
  trial: number,
  trialEndDate: number,
  passwords: texts.optional(),
  timeUnit: text,
  timeUnitQuantity: number,
  timeDurationExpression: text,
  srcLicenseOrderId: text.optional(),
  productFeatures: z.array(Feature),
});

const Merchandise = z.object({
  ...textsOf('crmProductId', 'parentCrmProductId', 'merchandiseNum', 'merchandiseName', 'parentMerchandiseNum'),
  timeDurationExpression: text,
  children: nested((): z.ZodType<unknown[]> => innerMerchandises()).optional(),
  licenseOrderProductList: z.array(Product),
});
const innerMerchandises = compiledOnce(() => z.array(Merchandise));

const AssetToBuy = z.object({
  assetNos: texts,
  assetExtendList: z.array(z.object({ extendCode: text.optional(), extendValue: text.optional() })).optional(),
  ...period,
  borrowedUsbKey: flag.optional(),
  transferedAssetNum: flag.optional(),
  products: z.array(Product).optional(),
  merchandises: z.array(Merchandise).optional(),
});

const ProductToRevoke = z.object({
  ...textsOf('crmProductId', 'productUri'),
  ...period,
  limitConcurrent: number,
  strictMatchWhenDelete: flag,
});

const header = {
  sequence: number,
  ...textsOf('customerId', 'crmCustomerId', 'customerName', 'channelCustomerId'),
  ...textsOf('adminName', 'adminAccount', 'adminEmail', 'adminCellNumber', 'passwordMobile', 'address'),
  ...textsOf('customerType', 'branchCode', 'branchName', 'enterpriseGlobalId'),
  srcLicenseOrderId: text.optional(),
  licenseType: text,
};

const StoredOrderV1 = z.discriminatedUnion('orderType', [
  z.object({ ...header, orderType: z.literal('new_buy'), assets: z.array(AssetToBuy) }),
  z.object({ ...header, orderType: z.literal('delete_asset'), assets: z.array(z.object({ assetNos: texts })) }),
  z.object({
    ...header,
    orderType: z.literal('delete_product'),
    assets: z.array(z.object({ assetNos: texts, ...period, products: z.array(ProductToRevoke) })),
  }),
]);
type StoredOrderV1 = z.infer<typeof StoredOrderV1>;

/** The schema of a list of orders in form 1, each with its place in orderList. */
const storedOrdersV1 = compiledOnce(() => z.array(z.tuple([z.int().gte(0).lt(ORDERS_PER_BATCH), StoredOrderV1])));

/** Returns a schema that zod compiles on first use, which takes milliseconds. Compiled code needs half the time. */
function compiledOnce<Schema extends z.ZodType>(build: () => Schema): () => Schema {
  let compiled: Schema | undefined;
  return () => (compiled ??= z.compile(build(), { strict: true }));
}

/** An order and its place in orderList. */
export type PlacedOrder = [index: number, order: Order];

/** This release can't read stored orders. That is a fault of the service, never of the orders. */
export class PayloadFault extends Error {
  constructor(what: string) {
    super(`stored orders can't be read: ${what}`);
    this.name = 'PayloadFault';
  }
}

/**
 * Parses stored orders: a JSON list of [index in orderList, order in the form of `orderText`]. Checks the fields and
 * types of form 1; the planner checks their values.
 *
 * Throws a PayloadFault if a newer release wrote the text, or if no release writes such a text.
 */
export function readStoredOrders(version: number, payload: string): PlacedOrder[] {
  if (version !== PAYLOAD_VERSION) throw new PayloadFault(describeVersion(version));
  let orders: unknown;
  try {
    orders = JSON.parse(payload);
  } catch {
    throw new PayloadFault('they are not JSON');
  }
  const { success, data, error } = storedOrdersV1().safeParse(orders);
  if (!success) throw new PayloadFault(`they are not orders of version 1${describePlace(error)}`);
  return data as PlacedOrder[];
}

function describeVersion(version: number): string {
  return `version ${version} is newer than ${PAYLOAD_VERSION}, which this release reads; run a newer release`;
}

/** Returns the path of the first fault, but not the value there, because messages are logged. */
function describePlace({ issues }: z.ZodError): string {
  const path = z.core.toDotPath(issues[0]!.path);
  return path === '' ? '' : `, see ${path}`;
}

/** Returns the asset numbers that an order names, without duplicates, as failed_order lists them. */
export function listAssetNums({ assets }: Order): string[] {
  return [...new Set(assets.flatMap(({ assetNos }) => assetNos))];
}

export function writeStoredOrders(orders: readonly PlacedOrder[]): string {
  return JSON.stringify(orders);
}

/**
 * Returns the text of a single order from a list that holds only this order, without parsing it: it may have megabytes.
 * Form 1 consists of fields of the interface, so clients can send it again.
 *
 * Throws a PayloadFault if a newer release wrote the text, or if no release writes such a text.
 */
export function cutOrderText(version: number, content: string): string {
  const start = content.indexOf(',') + 1;
  if (version !== PAYLOAD_VERSION) throw new PayloadFault(describeVersion(version));
  if (!/^\[\[\d{1,4},\{$/.test(content.slice(0, start + 1)) || !content.endsWith('}]]')) {
    throw new PayloadFault('they are not orders of version 1');
  }
  return content.slice(start, -2);
}
