import { describe, expect, it } from 'vitest';
import { estimateEnd, listAhead, secondsUntilBelow } from './estimates.ts';

/** The arithmetic of estimates (rules 6.4): what is ahead, at the rate of each channel. */

const NOW = 1_800_000_000_000;

const channel = (id: number, changes: Partial<Parameters<typeof listAhead>[1][number]> = {}) => ({
  id,
  pausedTime: null,
  pending: 10_000,
  held: 0,
  succeededPerSecond: 900,
  failedPerSecond: 100,
  ...changes,
});
const batch = (channelId: number, own: number, behind: number) => ({ channelId, own, behind });

/** How many seconds from now on a batch should be completed; null if nobody can tell. */
function secondsUntilEnd(waiting: Parameters<typeof listAhead>[0], channels: Parameters<typeof listAhead>[1]) {
  const end = estimateEnd(NOW, listAhead(waiting, channels));
  return end === null ? null : (end - NOW) / 1_000;
}

describe('a batch', () => {
  it('waits for what was accepted before it, and for itself', () => {
    expect(secondsUntilEnd([batch(1, 50, 0)], [channel(1)])).toBe(10);
    expect(secondsUntilEnd([batch(1, 50, 4_000)], [channel(1)])).toBe(6);
  });

  it('waits for its own orders at least, however much behind it is done already', () => {
    expect(secondsUntilEnd([batch(1, 500, 9_900)], [channel(1)])).toBe(0.5);
  });

  it('does not wait for held orders of others', () => {
    expect(secondsUntilEnd([batch(1, 50, 0)], [channel(1, { held: 8_000 })])).toBe(2);
  });

  it('of several channels is completed with the last of them', () => {
    const slow = channel(2, { succeededPerSecond: 0, failedPerSecond: 20 });
    expect(secondsUntilEnd([batch(1, 50, 0), batch(2, 10, 9_000)], [channel(1), slow])).toBe(50);
  });

  it.each([
    ['is paused', [channel(1), channel(2, { pausedTime: NOW - 1 })]],
    ['does not move', [channel(1), channel(2, { succeededPerSecond: 0, failedPerSecond: 0 })]],
    ['is not known yet', [channel(1)]],
  ])('has no estimate while one of its channels %s', (_what, channels) => {
    expect(secondsUntilEnd([batch(1, 50, 0), batch(2, 50, 0)], channels)).toBeNull();
  });

  it('of which nothing is pending any more has none', () => {
    expect(secondsUntilEnd([], [channel(1)])).toBeNull();
  });
});

describe('an application that has too many pending orders', () => {
  it('should try again when it has fewer, by its share of each channel', () => {
    const channels = [
      { share: 0.5, perSecond: 100 },
      { share: 1, perSecond: 50 },
    ];
    expect(secondsUntilBelow(2_000, channels)).toBe(20);
  });

  it('should try again after a second at least, and a few minutes at most', () => {
    expect(secondsUntilBelow(1, [{ share: 1, perSecond: 1_000 }])).toBe(1);
    expect(secondsUntilBelow(1_000_000, [{ share: 1, perSecond: 10 }])).toBe(300);
    expect(secondsUntilBelow(1, [{ share: 1, perSecond: 0 }])).toBe(300);
  });
});
