import type { CustomerId } from '@lockstep/contract';
import { expect, it } from 'vitest';
import { channelOf, LANES_OF_CHANNEL, laneOf } from './lanes.ts';

// These lanes must never change: in another lane, a customer's later orders would overtake pending ones.
it.each([
  [0, '1', 7],
  [1, '1', 23],
  [1, '2001', 31],
  [2, '2002', 37],
  [3, '100001', 53],
  [3, '100002', 63],
  [134_217_726, '9223372036854775807', 2_147_483_630],
])('keeps, in channel %i, customer %s in lane %i', (channelId, customerId, lane) => {
  expect(laneOf(channelId, customerId as CustomerId)).toBe(lane);
  expect(channelOf(lane)).toBe(channelId);
});

it('spreads customers evenly over the lanes of their channel', () => {
  const customerIds = Array.from(
    { length: 1_000 * LANES_OF_CHANNEL },
    (_, index) => String(100_001 + index) as CustomerId,
  );
  const lanes = Map.groupBy(customerIds, (customerId) => laneOf(0, customerId));
  expect([...lanes.keys()].toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: LANES_OF_CHANNEL }, (_, lane) => lane),
  );
  for (const customers of lanes.values()) {
    expect(customers.length).toBeGreaterThan(900);
    expect(customers.length).toBeLessThan(1_100);
  }
});
