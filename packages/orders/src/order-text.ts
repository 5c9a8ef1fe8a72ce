import type { Order } from '@lockstep/contract';
import { type StoredOrderV1, storedOrderV1 } from './stored-order-v1.ts';

/** The version of payloads that consist of `orderText` (lane_chunk.payload_version, failed_order.payload_version). */
export const PAYLOAD_VERSION = 1;
/** The version of digests over `orderText` (batch.digest_version). */
export const DIGEST_VERSION = 1;

/**
 * Writes an order as text, in form 1: digests are over it, and it is stored until the order has taken effect. An order
 * has the same text in whatever order a client sent the fields, and however many more fields the schema of calls gets.
 * What is absent is left out.
 */
export function orderText(order: Order): string {
  const stored: StoredOrderV1 = order;
  return JSON.stringify(storedOrderV1().parse(stored));
}
