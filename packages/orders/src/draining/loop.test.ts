import { expect, it } from 'vitest';
import { DrainPace } from './loop.ts';

it('sets the weight of a drain from its target time, within bounds, and takes more for a channel that is alone', () => {
  const pace = new DrainPace();
  const measure = (weight: number, ms: number) => {
    for (let count = 0; count < 50; count++) pace.drained(weight, ms);
    return pace.maxWeight;
  };
  expect(measure(500, 250)).toEqual({ alone: 2_000, beside: 250 });
  expect(measure(1_000, 250)).toEqual({ alone: 2_500, beside: 480 });
  expect(measure(2_500, 50)).toEqual({ alone: 2_500, beside: 2_500 });
  expect(measure(250, 2_500)).toEqual({ alone: 250, beside: 250 });
});

it('ignores drains with little weight, whose cost is fixed', () => {
  const pace = new DrainPace();
  const { beside } = pace.maxWeight;
  pace.drained(1, 10);
  expect(pace.maxWeight.beside).toBe(beside);
});
