import { expect, it } from 'vitest';
import { pauseAfter } from './retry-schedule.ts';

const HOUR_S = 3_600;
const PAUSES_S = [5, 300, 1_800, 2 * HOUR_S, 5 * HOUR_S, 10 * HOUR_S, 14 * HOUR_S, 20 * HOUR_S, 24 * HOUR_S];

it('pauses longer after each attempt, and ends after the tenth (rules 6.8)', () => {
  expect(PAUSES_S.map((_, index) => pauseAfter(index + 1, 0))).toEqual(PAUSES_S.map((seconds) => seconds * 1_000));
  expect(pauseAfter(10, 0)).toBeNull();
  expect(pauseAfter(11, 0)).toBeNull();
});

it('adds at most a tenth at random', () => {
  for (const [index, seconds] of PAUSES_S.entries()) {
    expect(pauseAfter(index + 1, 0.5)).toBe(seconds * 1_050);
    expect(pauseAfter(index + 1, 0.999_999)).toBeLessThanOrEqual(seconds * 1_100);
  }
});
