import { describe, expect, it } from 'vitest';
import { Pace } from './pace.ts';

describe('the weight of a drain', () => {
  it('follows the time that drains take while others wait, within bounds', () => {
    const pace = new Pace();
    const measure = (weight: number, ms: number) => {
      for (let count = 0; count < 50; count++) pace.drained(weight, ms);
      return pace.maxWeight;
    };
    expect(measure(1_000, 250)).toEqual({ alone: 1_600, beside: 480 });
    expect(measure(2_500, 50)).toEqual({ alone: 2_500, beside: 2_500 });
    expect(measure(250, 2_500)).toEqual({ alone: 250, beside: 250 });
  });

  it('does not follow drains that carry little, which cost by themselves', () => {
    const pace = new Pace();
    const { beside } = pace.maxWeight;
    pace.drained(1, 10);
    expect(pace.maxWeight.beside).toBe(beside);
  });
});

describe('workers that drain one backlog', () => {
  /** A worker that looks at the others four times a second. `rate`: what all write, by whether this one drains, too. */
  function newWorker(rate: (isIn: boolean) => number) {
    const pace = new Pace();
    let writtenBytes = 0;
    let nowMs = 0;
    const isIn = () => !pace.elsewhere.has(7);
    return {
      isIn,
      /** Lets seconds pass, and returns in how many of the looks it was in. */
      pass(seconds: number, channels = [7]) {
        let looks = 0;
        for (let look = 0; look < 4 * seconds; look++) {
          nowMs += 250;
          writtenBytes += 250 * rate(isIn());
          pace.looked({ channels: new Set(channels), writtenBytes }, nowMs);
          if (isIn()) looks++;
        }
        return looks;
      },
    };
  }

  it('leave it to one of them if that is as fast, and try again more and more seldom', () => {
    const { isIn, pass } = newWorker(() => 10);
    expect(isIn()).toBe(true);
    expect(pass(4)).toBe(0);
    expect(pass(100)).toBeLessThan(25);
    expect(pass(100)).toBeLessThan(20);
  });

  it('join if all are faster with them', () => {
    const { isIn, pass } = newWorker((isIn) => (isIn ? 15 : 10));
    pass(8);
    expect(isIn()).toBe(true);
    expect(pass(100)).toBe(400);
  });

  it('take it over when nobody else drains it any more, but not between two drains', () => {
    const { isIn, pass } = newWorker(() => 10);
    pass(1);
    pass(0.25, []);
    expect(isIn()).toBe(false);
    pass(0.25, []);
    expect(isIn()).toBe(true);
  });
});
