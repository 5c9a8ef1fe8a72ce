import { crc32 } from 'node:zlib';
import type { CustomerId } from '@lockstep/contract';

/**
 * How many lanes a channel has. A customer's orders are all in one lane, so this may change only while nothing is
 * pending. More lanes let more drains of a channel run at once; fewer lanes make each drain's group larger.
 */
export const LANES_OF_CHANNEL = 4;

/** Returns the lane of a customer in a channel. Orders of one lane take effect in acceptance order. */
export function laneOf(channelId: number, customerId: CustomerId): number {
  return channelId * LANES_OF_CHANNEL + (crc32(customerId) % LANES_OF_CHANNEL);
}

export function channelOf(lane: number): number {
  return Math.floor(lane / LANES_OF_CHANNEL);
}

/** SQL: the channel of a lane. `lane` names the column. */
export const channelOfColumn = (lane = 'lane') => `${lane} / ${LANES_OF_CHANNEL}`;

export function lanesOfChannel(channelId: number): number[] {
  return Array.from({ length: LANES_OF_CHANNEL }, (_, slot) => channelId * LANES_OF_CHANNEL + slot);
}
