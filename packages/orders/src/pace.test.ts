import { expect, it } from 'vitest';
import { Pace } from './pace.ts';

it('lets a drain beside others take what is done in a turn, within bounds', () => {
  const pace = new Pace();
  const measure = (weight: number, ms: number) => {
    for (let count = 0; count < 50; count++) pace.drained(weight, ms);
    return pace.maxWeight.beside;
  };
  expect(measure(1_000, 250)).toBe(480);
  expect(measure(2_500, 50)).toBe(2_500);
  expect(measure(250, 2_500)).toBe(250);
});

it('does not follow drains that carry little, which cost by themselves', () => {
  const pace = new Pace();
  const { beside } = pace.maxWeight;
  pace.drained(1, 10);
  expect(pace.maxWeight.beside).toBe(beside);
});
