import { describe, expect, it } from 'vitest';
import { latestOf } from './log-position.ts';
import { findStandbyFault, lacksHalfARecord, MARK_GOOD_FOR_MS, type Sighting, shows } from './standby-rules.ts';

const NOW_MS = 1_000_000;
const TIMELINE = '00000002';
const at = (bytes: number, timeline = TIMELINE) => ({ timeline, bytes });

/** A standby that follows the primary and shows its log up to byte 20,000. */
function sighting(changes: Partial<Sighting> = {}): Sighting {
  return {
    isStandby: true,
    replayedBytes: 20_000,
    receivedBytes: 20_000,
    replayedTimeMs: 0,
    mark: { timeline: TIMELINE, writtenMs: NOW_MS - 1_500 },
    ...changes,
  };
}

describe('findStandbyFault', () => {
  it('finds none with a standby that shows a new mark of the same timeline', () => {
    expect(findStandbyFault(sighting(), TIMELINE, NOW_MS)).toBeNull();
  });

  it.each([
    ['a server that was promoted, or is the primary itself', { isStandby: false }, 'is not a standby'],
    ['one that has no mark of this process', { mark: null }, 'follows another primary'],
    [
      'one that shows a mark from before a failover',
      { mark: { timeline: '00000001', writtenMs: NOW_MS } },
      'shows timeline 00000001, and the primary is on 00000002',
    ],
    [
      'one that is behind by an hour',
      { mark: { timeline: TIMELINE, writtenMs: NOW_MS - 3_600_000 } },
      'is behind, or has lost its primary, for 3600 s',
    ],
  ])('refuses %s', (_what, changes, fault) => {
    expect(findStandbyFault(sighting(changes), TIMELINE, NOW_MS)).toContain(fault);
  });

  it('takes a mark for as long as it is good, and no longer', () => {
    const aged = (ageMs: number) => sighting({ mark: { timeline: TIMELINE, writtenMs: NOW_MS - ageMs } });
    expect(findStandbyFault(aged(MARK_GOOD_FOR_MS), TIMELINE, NOW_MS)).toBeNull();
    expect(findStandbyFault(aged(MARK_GOOD_FOR_MS + 1), TIMELINE, NOW_MS)).not.toBeNull();
  });
});

describe('shows', () => {
  it('is true for what stands in front of the end of what is replayed, and that end itself', () => {
    expect([19_999, 20_000, 20_001].map((bytes) => shows(sighting(), at(bytes), NOW_MS))).toEqual([true, true, false]);
  });

  it('is false for a place in another history, however far the standby is', () => {
    expect(shows(sighting({ replayedBytes: 1e12 }), at(1, '00000003'), NOW_MS)).toBe(false);
  });

  it('is false for a server that cannot be read from', () => {
    expect(shows(sighting({ isStandby: false }), at(1), NOW_MS)).toBe(false);
  });
});

describe('lacksHalfARecord', () => {
  const PAGE = 2 * 8_192;
  it('is true where all of a page has come and its last record goes on in the next one', () => {
    expect(lacksHalfARecord(sighting({ replayedBytes: PAGE - 40, receivedBytes: PAGE }), at(PAGE))).toBe(true);
  });

  it.each([
    ['the page has not come yet', { replayedBytes: PAGE - 40, receivedBytes: PAGE - 8 }, PAGE],
    ['a record ends at the place', { replayedBytes: PAGE, receivedBytes: PAGE }, PAGE],
    ['the place is not the end of a page', { replayedBytes: PAGE - 40, receivedBytes: PAGE + 8 }, PAGE + 8],
  ])('is false where %s', (_where, changes, bytes) => {
    expect(lacksHalfARecord(sighting(changes), at(bytes))).toBe(false);
  });
});

describe('latestOf', () => {
  it('is the place behind all others', () => {
    expect(latestOf([at(2), at(9), at(5)])).toEqual(at(9));
  });

  it('is none where the primary changed in between', () => {
    expect(latestOf([at(2), at(9, '00000003')])).toBeNull();
    expect(latestOf([])).toBeNull();
  });
});
