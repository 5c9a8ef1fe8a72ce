import type { CustomerId } from '@lockstep/contract';
import { expect, it } from 'vitest';
import { channelOf, LANES_OF_CHANNEL, laneOf } from './lanes.ts';

// These lanes must never change: in another lane, a customer's later orders would overtake pending ones.
it.each([
  [0, '1', 3],
  [1, '1', 7],
  [1, '2001', 7],
  [2, '2002', 9],
  [3, '100001', 13],
  [3, '100002', 15],
  [134_217_726, '9223372036854775807', 536_870_906],
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
