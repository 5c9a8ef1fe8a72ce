import { ORDERS_PER_BATCH } from '@lockstep/assets';
import type { Order } from '@lockstep/contract';
import { PAYLOAD_VERSION } from './order-text.ts';

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
 * Reads stored orders: JSON, a list of [index in orderList, order in the form of `orderText`]. It checks that they have the
 * fields of form 1, each of its type; what they mean is for the planner. The shape is written out here, not taken from the
 * schema of calls, which later releases may change.
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
  if (!isListOf(orders, isPlacedOrder)) throw new PayloadFault('they are not orders of version 1');
  return orders as PlacedOrder[];
}

function describeVersion(version: number): string {
  return `their version is ${version}, this release reads ${PAYLOAD_VERSION}; run a newer one`;
}

/** Writes orders as text, in the version that this release writes. */
export function writeStoredOrders(orders: readonly PlacedOrder[]): string {
  return JSON.stringify(orders);
}

/**
 * Cuts the text of an order out of a list that holds it alone, as clients send it, without parsing it: it may be 32 MiB.
 * Form 1 consists of fields of the interface.
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

type Fields = Record<string, unknown>;
type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isNumber: Check = (value) => typeof value === 'number';
const isFlag: Check = (value) => typeof value === 'boolean';
const isAbsentOr =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);

function isListOf(value: unknown, check: Check): boolean {
  return Array.isArray(value) && value.every(check);
}

/** Checks that a value is an object whose fields pass the checks of their names. */
function shape(checks: Record<string, Check>): Check {
  const named = Object.entries(checks);
  return (value) =>
    typeof value === 'object' && value !== null && named.every(([name, check]) => check((value as Fields)[name]));
}

const listOf =
  (check: Check): Check =>
  (value) =>
    isListOf(value, check);
const texts = (...names: string[]) => Object.fromEntries(names.map((name) => [name, isText]));
const period = { limitStartDate: isAbsentOr(isNumber), limitEndDate: isAbsentOr(isNumber) };

const isFeature = shape({
  ...texts('featureCode', 'featureName', 'featureValue', 'featureValueType'),
  trial: isNumber,
  trialEndDate: isNumber,
});

const isProductToBuy = shape({
  ...texts('crmProductId', 'parentCrmProductId', 'productUri', 'productName', 'productType'),
  ...texts('timeUnit', 'timeDurationExpression'),
  ...period,
  gmsPid: isAbsentOr(isText),
  appKey: isAbsentOr(isText),
  limitConcurrent: isNumber,
  limitTimeDuration: isNumber,
  strictMatchWhenDelete: isFlag,
  trial: isNumber,
  trialEndDate: isNumber,
  passwords: isAbsentOr(listOf(isText)),
  timeUnitQuantity: isNumber,
  srcLicenseOrderId: isAbsentOr(isText),
  productFeatures: listOf(isFeature),
});

const isMerchandise: Check = shape({
  ...texts('crmProductId', 'parentCrmProductId', 'merchandiseNum', 'merchandiseName', 'parentMerchandiseNum'),
  ...texts('timeDurationExpression'),
  children: isAbsentOr((value) => isListOf(value, isMerchandise)),
  licenseOrderProductList: listOf(isProductToBuy),
});

const ASSETS: Record<string, Check> = {
  new_buy: shape({
    ...period,
    assetNos: listOf(isText),
    assetExtendList: isAbsentOr(listOf(shape({ extendCode: isAbsentOr(isText), extendValue: isAbsentOr(isText) }))),
    borrowedUsbKey: isAbsentOr(isFlag),
    transferedAssetNum: isAbsentOr(isFlag),
    products: isAbsentOr(listOf(isProductToBuy)),
    merchandises: isAbsentOr(listOf(isMerchandise)),
  }),
  delete_asset: shape({ assetNos: listOf(isText) }),
  delete_product: shape({
    ...period,
    assetNos: listOf(isText),
    products: listOf(
      shape({
        ...texts('crmProductId', 'productUri'),
        ...period,
        limitConcurrent: isNumber,
        strictMatchWhenDelete: isFlag,
      }),
    ),
  }),
};

const isHeader = shape({
  ...texts('customerId', 'crmCustomerId', 'customerName', 'channelCustomerId', 'adminName', 'adminAccount'),
  ...texts('adminEmail', 'adminCellNumber', 'passwordMobile', 'address', 'customerType', 'branchCode', 'branchName'),
  ...texts('enterpriseGlobalId', 'licenseType', 'orderType'),
  sequence: isNumber,
  srcLicenseOrderId: isAbsentOr(isText),
});

function isPlacedOrder(value: unknown): boolean {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [index, order] = value as [unknown, unknown];
  if (!Number.isInteger(index) || (index as number) < 0 || (index as number) >= ORDERS_PER_BATCH) return false;
  if (!isHeader(order)) return false;
  const { orderType, assets } = order as { orderType: string; assets: unknown };
  const isAsset = Object.hasOwn(ASSETS, orderType) ? ASSETS[orderType] : undefined;
  return isAsset !== undefined && isListOf(assets, isAsset);
}
