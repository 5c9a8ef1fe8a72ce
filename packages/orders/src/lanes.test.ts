import type { CustomerId } from '@lockstep/contract';
import { expect, it } from 'vitest';
import { LANE_COUNT, laneOf } from './lanes.ts';

// A customer in another lane than before would let later orders overtake pending ones: these never change.
it.each([
  ['1', 7],
  ['2001', 15],
  ['2002', 5],
  ['100001', 5],
  ['100002', 15],
  ['9223372036854775807', 14],
])('keeps customer %s in lane %i', (customerId, lane) => {
  expect(laneOf(customerId as CustomerId)).toBe(lane);
});

it('spreads customers evenly over all lanes', () => {
  const customerIds = Array.from({ length: 1_000 * LANE_COUNT }, (_, index) => String(100_001 + index) as CustomerId);
  const lanes = Map.groupBy(customerIds, laneOf);
  expect([...lanes.keys()].toSorted((a, b) => a - b)).toEqual(Array.from({ length: LANE_COUNT }, (_, lane) => lane));
  for (const customers of lanes.values()) {
    expect(customers.length).toBeGreaterThan(900);
    expect(customers.length).toBeLessThan(1_100);
  }
});
