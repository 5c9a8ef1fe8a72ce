import { describe, expect, it } from 'vitest';
import { chooseUnit, perUnit, sumOf } from './rates.ts';

const MINUTE_MS = 60_000;
/** Pieces of a minute in which so many orders were accepted. */
const pieces = (...accepted: number[]) =>
  accepted.map((count, place) => ({ startTime: place * MINUTE_MS, accepted: count, succeeded: 0, failed: 0 }));
/** A time in the last of three pieces. */
const at = (seconds: number) => ({ pieceSeconds: 60, time: 2 * MINUTE_MS + seconds * 1_000 });

describe('orders over time', () => {
  it('are counted by a unit in which a line can be seen', () => {
    const unitOf = (...accepted: number[]) => chooseUnit(pieces(...accepted), 60).seconds;
    expect([unitOf(600, 0), unitOf(1, 59), unitOf(0, 0)]).toEqual([1, 60, 3_600]);
  });

  it('of the piece that is not over count for the time that has passed', () => {
    const three = pieces(600, 0, 300);
    const unit = chooseUnit(three, 60);
    expect(perUnit(three, 'accepted', unit, at(30))).toEqual([10, 0, 10]);
    expect(perUnit(three, 'accepted', unit, at(14))).toEqual([10, 0, null]);
    expect(sumOf(three, 'accepted')).toBe(900);
  });
});
