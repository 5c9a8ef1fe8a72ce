import type { Order } from '@lockstep/contract';
import { z } from 'zod';
import { PAYLOAD_VERSION } from './order-text.ts';
import { storedOrdersV1 } from './stored-order-v1.ts';

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
