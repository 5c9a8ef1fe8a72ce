import { ORDERS_PER_BATCH } from '@lockstep/assets';
import { nested, type Order } from '@lockstep/contract';
import { z } from 'zod';

/** The version of payloads that consist of `orderText` (lane_chunk.payload_version, failed_order.payload_version). */
export const PAYLOAD_VERSION = 1;
/** The version of digests over `orderText` (batch.digest_version). */
export const DIGEST_VERSION = 1;

/**
 * Writes an order as text, in form 1: digests are over it, and it is stored until the order has taken effect. The
 * schema of calls returns the fields in one order, in whatever order a client sent them, and what has a default with
 * it. What is absent is left out.
 */
export function orderText(order: Order): string {
  const stored: StoredOrderV1 = order;
  return JSON.stringify(stored);
}

/*
 * The stored form of orders, version 1. It never changes, because databases hold it and digests are taken over it: no
 * field and no type here, nor the order of the fields. A field that a later release brings goes into a version of its
 * own. So nothing here comes from the schemas of calls. The types are those of JSON alone; what a value means is for
 * the planner.
 */

const text = z.string();
const texts = z.array(text);
const number = z.number();
const flag = z.boolean();
const period = { limitStartDate: number.optional(), limitEndDate: number.optional() };

const Feature = z.object({
  featureCode: text,
  featureName: text,
  featureValue: text,
  featureValueType: text,
  trial: number,
  trialEndDate: number,
});

const Product = z.object({
  crmProductId: text,
  parentCrmProductId: text,
  productUri: text,
  productName: text,
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
  crmProductId: text,
  parentCrmProductId: text,
  merchandiseNum: text,
  merchandiseName: text,
  parentMerchandiseNum: text,
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
  crmProductId: text,
  productUri: text,
  ...period,
  limitConcurrent: number,
  strictMatchWhenDelete: flag,
});

const header = {
  sequence: number,
  customerId: text,
  crmCustomerId: text,
  customerName: text,
  channelCustomerId: text,
  adminName: text,
  adminAccount: text,
  adminEmail: text,
  adminCellNumber: text,
  passwordMobile: text,
  address: text,
  customerType: text,
  branchCode: text,
  branchName: text,
  enterpriseGlobalId: text,
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
const storedOrdersV1 = compiledOnce(() =>
  z.array(
    z.tuple([
      z
        .int()
        .min(0)
        .max(ORDERS_PER_BATCH - 1),
      StoredOrderV1,
    ]),
  ),
);

/** Has zod generate code for a schema when it is first used, which takes milliseconds. The code takes half the time. */
function compiledOnce<Schema extends z.ZodType>(build: () => Schema): () => Schema {
  let compiled: Schema | undefined;
  return () => (compiled ??= z.compile(build(), { strict: true }));
}

/** An order and its place in orderList. */
export type PlacedOrder = [index: number, order: Order];

/** This release cannot read stored orders: a fault of the service, never of the orders. */
export class PayloadFault extends Error {
  constructor(what: string) {
    super(`Stored orders cannot be read: ${what}`);
    this.name = 'PayloadFault';
  }
}

/**
 * Reads stored orders: JSON, a list of [index in orderList, order in the form of `orderText`]. It checks that they have
 * the fields of form 1, each of its type; what they mean is for the planner.
 *
 * Throws a PayloadFault if a newer release wrote them, or if no release writes such a text.
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
  return `their version is ${version}, this release reads ${PAYLOAD_VERSION}; run a newer one`;
}

/** Says where the first fault is. It never says what is there, because messages are logged. */
function describePlace({ issues }: z.ZodError): string {
  const path = z.core.toDotPath(issues[0]!.path);
  return path === '' ? '' : `, see ${path}`;
}

/** Writes orders as text, in the version that this release writes. */
export function writeStoredOrders(orders: readonly PlacedOrder[]): string {
  return JSON.stringify(orders);
}

/**
 * Cuts the text of an order out of a list that holds it alone, as clients send it, without parsing it: it may be 32
 * MiB. Form 1 consists of fields of the interface.
 *
 * Throws a PayloadFault if a newer release wrote the list, or if no release writes such a text.
 */
export function cutOrderText(version: number, content: string): string {
  const start = content.indexOf(',') + 1;
  if (version !== PAYLOAD_VERSION) throw new PayloadFault(describeVersion(version));
  if (!/^\[\[\d{1,4},\{$/.test(content.slice(0, start + 1)) || !content.endsWith('}]]')) {
    throw new PayloadFault('they are not orders of version 1');
  }
  return content.slice(start, -2);
}
