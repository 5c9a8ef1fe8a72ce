import { Refusal } from './causes.ts';
import type { Merchandise } from './order-items.ts';
import type { Order } from './orders.ts';

/**
 * The most product and merchandise instances that a call may create or revoke. A few kilobytes can ask for millions.
 */
export const MAX_INSTANCES = 200_000;

/**
 * Counts the product and merchandise instances that an order may create, at least one for each asset number, or the
 * products that it looks for. An asset number without instances counts as one: it transfers or creates an asset.
 */
export function countInstances(order: Order): number {
  switch (order.orderType) {
    case 'new_buy':
      return sum(
        order.assets,
        ({ assetNos, products = [], merchandises = [] }) =>
          assetNos.length * Math.max(1, products.length + sum(merchandises, instancesIn)),
      );
    case 'delete_asset':
      return sum(order.assets, ({ assetNos }) => assetNos.length);
    case 'delete_product':
      return sum(order.assets, ({ assetNos, products }) => assetNos.length * products.length);
  }
}

function instancesIn(merchandise: Merchandise): number {
  return 1 + merchandise.licenseOrderProductList.length + sum(merchandise.children ?? [], instancesIn);
}

function sum<Item>(items: readonly Item[], count: (item: Item) => number): number {
  return items.reduce((total, item) => total + count(item), 0);
}

/** Refuses a batch that would create or revoke too many instances. Throws a Refusal: batch_too_large. */
export function checkInstances(orders: readonly Order[]): void {
  let instances = 0;
  for (const [index, order] of orders.entries()) {
    instances += countInstances(order);
    if (instances > MAX_INSTANCES) throw new Refusal('batch_too_large', `orderList[${index}]`, MAX_INSTANCES);
  }
}
