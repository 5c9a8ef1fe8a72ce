import type { Customer } from '@lockstep/contract';
import { laneOf } from '../../packages/orders/src/lanes.ts';
import type { Api } from './api.ts';

/** Customers that are all in different lanes. */
export async function newCustomersInLanes(api: Api, count: number): Promise<Customer[]> {
  const byLane = new Map<number, Customer>();
  while (byLane.size < count) {
    const customer = await api.newCustomer();
    byLane.set(laneOf(customer.customerId), customer);
  }
  return [...byLane.values()];
}
