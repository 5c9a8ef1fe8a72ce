import { crc32 } from 'node:zlib';
import type { CustomerId } from '@lockstep/contract';

/**
 * The lanes of a channel. A customer's orders are all in one lane, so the number may only change while nothing is
 * pending. More lanes let more drains of a channel run at once; fewer make each drain's group larger.
 */
export const LANES_OF_CHANNEL = 16;

/**
 * The channel of no customer: lanes of orders whose customer did not exist for their application when they were
 * accepted (rules 6.2). They fail with customer_not_found.
 */
export const NO_CHANNEL = 0;

/** The lane of a customer of a channel: orders of one lane take effect in acceptance order. */
export function laneOf(channelId: number, customerId: CustomerId): number {
  return channelId * LANES_OF_CHANNEL + (crc32(customerId) % LANES_OF_CHANNEL);
}

/** The channel of a lane. */
export function channelOf(lane: number): number {
  return Math.floor(lane / LANES_OF_CHANNEL);
}

/** SQL: the channel of a lane, which is the column `lane` or the named one. */
export const channelOfColumn = (lane = 'lane') => `${lane} / ${LANES_OF_CHANNEL}`;

/** The lanes of a channel. */
export function lanesOfChannel(channelId: number): number[] {
  return Array.from({ length: LANES_OF_CHANNEL }, (_, slot) => channelId * LANES_OF_CHANNEL + slot);
}

/** The lanes in which a customer's orders may be: of its channel, and those that were accepted before it was there. */
export function lanesOfCustomer(channelId: number, customerId: CustomerId): number[] {
  return [...new Set([NO_CHANNEL, channelId])].map((id) => laneOf(id, customerId));
}
