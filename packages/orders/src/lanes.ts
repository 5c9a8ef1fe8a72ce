import { crc32 } from 'node:zlib';
import type { CustomerId } from '@lockstep/contract';

/**
 * The number of lanes. A customer's orders are all in one lane, so it may only change while nothing is pending.
 * More lanes let more drains run at once; fewer make each drain's group larger.
 */
export const LANE_COUNT = 16;

/** The lane of a customer: orders of one lane take effect in acceptance order. */
export function laneOf(customerId: CustomerId): number {
  return crc32(customerId) % LANE_COUNT;
}
