import { Refusal } from '../causes.ts';
import type { AssetToBuy, Merchandise } from './items.ts';
import type { Order } from './orders.ts';

/** Maximum products and merchandise of an order, and of a call. A few kilobytes can ask for millions. */
export const MAX_INSTANCES = 10_000;

/** Maximum products and merchandise that the orders of a sync call or a preview touch together. */
export const MAX_INSTANCES_TOGETHER = 20_000;

/** Maximum active products and merchandise on an asset, and maximum of its grants. */
export const MAX_INSTANCES_ON_ASSET = 2_000;

/** Maximum products, merchandise and grants that the assets of a new_buy hold together. They are counted for it. */
export const MAX_COUNTED = 100_000;

/** Maximum bytes of text that the orders of a call may store. A text is stored once for each asset number. */
export const MAX_TEXT_BYTES = 16 * 1024 * 1024;

/**
 * Counts the products and merchandise that an order may create, or the products that it looks for. An asset number
 * without any counts as one, because it creates or transfers an asset.
 */
export function countInstances(order: Order): number {
  switch (order.orderType) {
    case 'new_buy':
      return sum(order.assets, (element) => element.assetNos.length * Math.max(1, countOnAsset(element)));
    case 'delete_asset':
      return sum(order.assets, ({ assetNos }) => assetNos.length);
    case 'delete_product':
      return sum(order.assets, ({ assetNos, products }) => assetNos.length * products.length);
  }
}

/** Counts the products and merchandise that an element of a purchase puts on each asset. */
function countOnAsset({ products = [], merchandises = [] }: AssetToBuy): number {
  return products.length + sum(merchandises, instancesIn);
}

function instancesIn(merchandise: Merchandise): number {
  return 1 + merchandise.licenseOrderProductList.length + sum(merchandise.children ?? [], instancesIn);
}

/** Counts the bytes that an order stores: products, merchandise and extended attributes as JSON, per asset number. */
export function countTextBytes(order: Order): number {
  if (order.orderType !== 'new_buy') return 0;
  return sum(order.assets, ({ assetNos, products = [], merchandises = [], assetExtendList = [] }) => {
    return (
      assetNos.length * (sum(products, jsonBytes) + sum(merchandises, jsonBytes) + sum(assetExtendList, jsonBytes))
    );
  });
}

const jsonBytes = (item: object) => Buffer.byteLength(JSON.stringify(item));

/** Returns the largest number of assets that get the same text, which bounds what an order stores. */
export function countCopies({ orderType, assets }: Order): number {
  if (orderType !== 'new_buy') return 0;
  return assets.reduce((most, { assetNos }) => Math.max(most, assetNos.length), 0);
}

function sum<Item>(items: readonly Item[], count: (item: Item) => number): number {
  return items.reduce((total, item) => total + count(item), 0);
}

/**
 * Refuses a batch with too many products and merchandise, in all or on one asset. Existing contents count only when
 * the order is applied, because they may change until then. Throws a Refusal: batch_too_large.
 */
export function checkInstances(orders: readonly Order[]): void {
  let instances = 0;
  for (const [index, order] of orders.entries()) {
    checkElements(order, `orderList[${index}]`);
    instances += countInstances(order);
    if (instances > MAX_INSTANCES) throw new Refusal('batch_too_large', `orderList[${index}]`, 'apart', MAX_INSTANCES);
  }
}

/**
 * Refuses a batch that stores too much text. Most batches are too short to need counting. `bytes`: the length of the
 * batch as it was sent. Throws a Refusal: batch_too_large.
 */
export function checkText(orders: readonly Order[], bytes: number): void {
  const copies = orders.reduce((most, order) => Math.max(most, countCopies(order)), 0);
  // Twice, because stored orders also contain default values.
  if (2 * bytes * copies <= MAX_TEXT_BYTES) return;
  let text = 0;
  for (const [index, order] of orders.entries()) {
    text += countTextBytes(order);
    if (text > MAX_TEXT_BYTES)
      throw new Refusal('batch_too_large', `orderList[${index}]`, 'text', MAX_TEXT_BYTES / 1024 ** 2);
  }
}

/** Refuses an element of a purchase that would overfill an asset. */
function checkElements(order: Order, path: string): void {
  if (order.orderType !== 'new_buy') return;
  for (const [index, element] of order.assets.entries()) {
    if (countOnAsset(element) <= MAX_INSTANCES_ON_ASSET) continue;
    throw new Refusal('batch_too_large', `${path}.assets[${index}]`, 'on_asset', MAX_INSTANCES_ON_ASSET);
  }
}
