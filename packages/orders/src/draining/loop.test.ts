import { expect, it } from 'vitest';
import { Pace } from './loop.ts';

it('lets a drain take what is done in a turn, which is longer for a channel that is alone, within bounds', () => {
  const pace = new Pace();
  const measure = (weight: number, ms: number) => {
    for (let count = 0; count < 50; count++) pace.drained(weight, ms);
    return pace.maxWeight;
  };
  expect(measure(500, 250)).toEqual({ alone: 2_000, beside: 250 });
  expect(measure(1_000, 250)).toEqual({ alone: 2_500, beside: 480 });
  expect(measure(2_500, 50)).toEqual({ alone: 2_500, beside: 2_500 });
  expect(measure(250, 2_500)).toEqual({ alone: 250, beside: 250 });
});

it('does not follow drains that carry little, which cost by themselves', () => {
  const pace = new Pace();
  const { beside } = pace.maxWeight;
  pace.drained(1, 10);
  expect(pace.maxWeight.beside).toBe(beside);
});
