import type { LicenseOrderId } from '@lockstep/contract';
import { describe, expect, it } from 'vitest';
import { mergeFound } from './orders-by-id.ts';

/** The result of one index: orders with these ids, complete down to `floor`. */
const from = (floor: number | null, ...ids: number[]) => ({
  ids: ids.map((id) => String(id) as LicenseOrderId),
  floor: floor === null ? null : (String(floor) as LicenseOrderId),
});

describe('results of several indexes', () => {
  it('are merged by number, highest id first, up to the end if every index was read to its end', () => {
    expect(mergeFound([from(null, 10, 2), from(null), from(null, 9, 1)], 5)).toEqual({
      ids: ['10', '9', '2', '1'],
      stop: null,
    });
  });

  it('stop at the highest floor: below it, an index may have unread orders', () => {
    expect(mergeFound([from(6, 8, 6), from(null, 9, 5, 4), from(3, 7, 3)], 10)).toEqual({
      ids: ['9', '8', '7', '6'],
      stop: ['6'],
    });
  });

  it('have floors that are compared as numbers', () => {
    expect(mergeFound([from(10, 12), from(9, 11, 9)], 10)).toEqual({ ids: ['12', '11'], stop: ['10'] });
  });

  it('stop at a floor even if nothing was found above it, so that the next page continues there', () => {
    expect(mergeFound([from(6), from(null, 5)], 10)).toEqual({ ids: [], stop: ['6'] });
  });

  it('stop at the last order of a full page if more are known', () => {
    expect(mergeFound([from(2, 8, 4, 2), from(null, 6)], 2)).toEqual({ ids: ['8', '6'], stop: ['6'] });
  });

  it('continue below the floor if they fill the page down to it', () => {
    expect(mergeFound([from(6, 8, 6), from(null, 3)], 2)).toEqual({ ids: ['8', '6'], stop: ['6'] });
    expect(mergeFound([from(5, 8), from(null, 6, 3)], 2)).toEqual({ ids: ['8', '6'], stop: ['5'] });
  });
});

describe('page after page', () => {
  const places = [
    [39, 37, 35, 34, 33, 32, 16, 8, 7, 4],
    [40, 38, 36, 31, 29, 27, 25, 24, 22, 21, 20],
    [30, 28, 3, 2],
  ];
  const isAskedFor = (id: number) => id % 2 === 0;
  const all = places
    .flat()
    .filter(isAskedFor)
    .toSorted((a, b) => b - a);

  it.each([1, 2, 3, 5, 20])('with %i ids read at once, no order is skipped or repeated', (most) => {
    for (let limit = 1; limit <= 4; limit++) {
      const shown: string[] = [];
      for (let below: number | null = 99; below !== null; ) {
        const { ids, stop } = mergeFound(
          places.map((place) => lookThrough(place, below!, limit, most)),
          limit,
        );
        shown.push(...ids);
        below = stop === null ? null : Number(stop[0]);
      }
      expect(shown).toEqual(all.map(String));
    }
  });

  /** Reads at most `most` ids, as a walk through an index does. */
  function lookThrough(place: readonly number[], below: number, limit: number, most: number) {
    const walked = place.filter((id) => id < below).slice(0, most);
    const ids = walked.filter(isAskedFor).slice(0, limit + 1);
    const last = walked.length < most ? null : walked.at(-1)!;
    return from(ids.length > limit ? ids.at(-1)! : last, ...ids);
  }
});
