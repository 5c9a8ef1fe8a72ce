import { z } from 'zod';
import { Refusal } from './causes.ts';
import type { Merchandise, Order } from './orders.ts';

const MAX_MERCHANDISE_DEPTH = 16;
/** Elements of one list. */
export const MAX_LIST_ELEMENTS = 10_000;
/** Elements of all lists of a call. */
const MAX_ELEMENTS = 500_000;
/** Product and merchandise instances that a call may make or revoke: a few kilobytes can ask for millions. */
const MAX_INSTANCES = 200_000;

/**
 * Refuses a body of O5 that is too much to work on, before its schema looks at it: checking a schema that contains
 * itself takes stack, and noting a million faults takes memory. It looks at the lists that the schema knows.
 *
 * Throws a Refusal: merchandise_too_deep, list_too_long, batch_too_large (decisions 6.1).
 */
export function checkSize(body: unknown): void {
  let elements = 0;
  const listsIn = (parent: unknown, path: PropertyKey[], depth: number) => {
    for (const key of LISTS) {
      const list = isRecord(parent) ? parent[key] : undefined;
      if (!Array.isArray(list)) continue;
      const at = [...path, key];
      const deeper = depth + (MERCHANDISE_LISTS.includes(key) ? 1 : 0);
      if (deeper > MAX_MERCHANDISE_DEPTH && list.length > 0) refuse('merchandise_too_deep', [...at, 0]);
      if (list.length > MAX_LIST_ELEMENTS) refuse('list_too_long', at, MAX_LIST_ELEMENTS);
      elements += list.length;
      if (elements > MAX_ELEMENTS) refuse('list_too_long', at, MAX_ELEMENTS);
      for (const [index, element] of list.entries()) {
        if (isRecord(element)) listsIn(element, [...at, index], deeper);
      }
    }
  };
  listsIn(body, [], 0);
}

const MERCHANDISE_LISTS = ['merchandises', 'children'];
const LISTS = [
  ...['orderList', 'assets', 'assetNos', 'assetExtendList', 'products', 'passwords', 'productFeatures'],
  ...MERCHANDISE_LISTS,
  'licenseOrderProductList',
];

function refuse(cause: 'merchandise_too_deep' | 'list_too_long', path: PropertyKey[], max = 0): never {
  throw new Refusal(cause, z.core.toDotPath(path), max);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** The product and merchandise instances that an order may make, or the products that it looks for. */
export function instancesOf(order: Order): number {
  switch (order.orderType) {
    case 'new_buy':
      return sum(
        order.assets,
        ({ assetNos, products = [], merchandises = [] }) =>
          assetNos.length * (products.length + sum(merchandises, instancesIn)),
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

/** Refuses a batch that would make or revoke too many instances. Throws a Refusal: batch_too_large. */
export function checkInstances(orders: readonly Order[]): void {
  let instances = 0;
  for (const [index, order] of orders.entries()) {
    instances += instancesOf(order);
    if (instances > MAX_INSTANCES) throw new Refusal('batch_too_large', `orderList[${index}]`, MAX_INSTANCES);
  }
}
