import assert from 'node:assert/strict';
import type { Customer, CustomerId } from '@lockstep/contract';
import { LANES_OF_CHANNEL, laneOf, lanesOfChannel } from '@lockstep/orders/testing';
import type { Api } from '../api.ts';

/** The channel of `newCustomer`'s customers: the first one of a test's database. */
export const FIRST_CHANNEL = 1;

/** The lanes of the first channel. */
export const ALL_LANES = lanesOfChannel(FIRST_CHANNEL);

/** Returns the lane of a customer of the first channel. */
export const firstLaneOf = (customerId: CustomerId): number => laneOf(FIRST_CHANNEL, customerId);

/** Creates customers that are all in different lanes of the first channel. */
export async function newCustomersInLanes(api: Api, count: number): Promise<Customer[]> {
  assert(count <= LANES_OF_CHANNEL);
  const byLane = new Map<number, Customer>();
  while (byLane.size < count) {
    const customer = await api.newCustomer();
    byLane.set(firstLaneOf(customer.customerId), customer);
  }
  return [...byLane.values()];
}

/** Creates another customer in the lane of one. */
export async function newNeighborInLane(api: Api, { customerId }: Customer): Promise<Customer> {
  for (;;) {
    const neighbor = await api.newCustomer();
    if (firstLaneOf(neighbor.customerId) === firstLaneOf(customerId)) return neighbor;
  }
}
