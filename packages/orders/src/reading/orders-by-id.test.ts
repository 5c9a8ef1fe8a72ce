import type { LicenseOrderId } from '@lockstep/contract';
import { describe, expect, it } from 'vitest';
import { mergeFound } from './orders-by-id.ts';

/** The result of one index: orders with these ids, complete down to `floor`. */
const from = (floor: number | null, ...ids: number[]) => ({
  ids: ids.map((id) => String(id) as LicenseOrderId),
  floor: floor === null ? null : (String(floor) as LicenseOrderId),
});

describe('results of several indexes', () => {
  it.each<[what: string, results: ReturnType<typeof from>[], limit: number, ids: string[], stop: string | null]>([
    [
      'are merged by number, highest id first, up to the end if every index was read to its end',
      [from(null, 10, 2), from(null), from(null, 9, 1)],
      5,
      ['10', '9', '2', '1'],
      null,
    ],
    [
      'stop at the highest floor: below it, an index may have unread orders',
      [from(6, 8, 6), from(null, 9, 5, 4), from(3, 7, 3)],
      10,
      ['9', '8', '7', '6'],
      '6',
    ],
    ['have floors that are compared as numbers', [from(10, 12), from(9, 11, 9)], 10, ['12', '11'], '10'],
    ['stop at a floor even if nothing was found above it', [from(6), from(null, 5)], 10, [], '6'],
    ['stop at the last order of a full page', [from(2, 8, 4, 2), from(null, 6)], 2, ['8', '6'], '6'],
    ['continue below the floor if they fill the page to it', [from(6, 8, 6), from(null, 3)], 2, ['8', '6'], '6'],
    ['continue below the floor if it is lower', [from(5, 8), from(null, 6, 3)], 2, ['8', '6'], '5'],
  ])('%s', (_, results, limit, ids, stop) => {
    expect(mergeFound(results, limit)).toEqual({ ids, stop: stop && [stop] });
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
