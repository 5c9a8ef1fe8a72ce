import { ORDERS_PER_BATCH } from '@lockstep/assets';
import type { Order } from '@lockstep/contract';
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
  return JSON.stringify(order);
}

/**
 * What every order in form 1 has, and its place in orderList. The form never changes (no field, no type, not even the
 * order of fields), because databases contain it and digests are computed over it. A field of a later release goes into
 * a new version.
 */
const StoredOrders = z.array(
  z.tuple([
    z.int().gte(0).lt(ORDERS_PER_BATCH),
    z.object({
      sequence: z.number(),
      customerId: z.string(),
      enterpriseGlobalId: z.string(),
      licenseType: z.string(),
      orderType: z.enum(['new_buy', 'delete_asset', 'delete_product']),
      assets: z.array(z.object({ assetNos: z.array(z.string()) })),
    }),
  ]),
);

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
 * Parses stored orders: a JSON list of [index in orderList, order in the form of `orderText`]. Checks only what every
 * order has; a customer is held if one of their orders can't be applied.
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
  if (!StoredOrders.safeParse(orders).success) throw new PayloadFault('they are not orders of version 1');
  return orders as PlacedOrder[];
}

function describeVersion(version: number): string {
  return `version ${version} is newer than ${PAYLOAD_VERSION}, which this release reads; run a newer release`;
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
