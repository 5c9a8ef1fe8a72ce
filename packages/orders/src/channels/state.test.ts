import type { ApplicationId } from '@lockstep/contract';
import { describe, expect, it } from 'vitest';
import { type ChannelState, estimateCompletion, type PendingInChannel, secondsUntilBelow } from './state.ts';

/** The arithmetic of estimates (rules 6.4): pending orders ahead, at the rate of each channel. */

const NOW = 1_800_000_000_000;

const channel = (id: number, changes: Partial<ChannelState> = {}): ChannelState => ({
  id,
  channelCode: 'test',
  pausedTime: null,
  pending: 10_000,
  held: 0,
  pendingOf: {},
  oldestPendingTime: null,
  oldestBatchId: null,
  perSecond: { accepted: 0, succeeded: 900, failed: 100 },
  time: NOW,
  ...changes,
});
const atRate = (succeeded: number, failed: number) => ({ perSecond: { accepted: 0, succeeded, failed } });
const batch = (channelId: number, own: number, behind: number) => ({ channelId, own, behind });

function secondsUntilCompletion(waiting: PendingInChannel[], channels: ChannelState[]) {
  const completion = estimateCompletion(waiting, channels);
  return completion === null ? null : (completion - NOW) / 1_000;
}

describe('a batch', () => {
  it('waits for orders accepted before it, and for its own', () => {
    expect(secondsUntilCompletion([batch(1, 50, 0)], [channel(1)])).toBe(10);
    expect(secondsUntilCompletion([batch(1, 50, 4_000)], [channel(1)])).toBe(6);
  });

  it('waits for its own orders at least, even if many later ones are done', () => {
    expect(secondsUntilCompletion([batch(1, 500, 9_900)], [channel(1)])).toBe(0.5);
  });

  it('does not wait for held orders of others', () => {
    expect(secondsUntilCompletion([batch(1, 50, 0)], [channel(1, { held: 8_000 })])).toBe(2);
  });

  it('of several channels is completed with the last of them', () => {
    const slow = channel(2, atRate(0, 20));
    expect(secondsUntilCompletion([batch(1, 50, 0), batch(2, 10, 9_000)], [channel(1), slow])).toBe(50);
  });

  it.each([
    ['is paused', [channel(1), channel(2, { pausedTime: NOW - 1 })]],
    ['does not move', [channel(1), channel(2, atRate(0, 0))]],
    ['is not known yet', [channel(1)]],
  ])('has no estimate while one of its channels %s', (_what, channels) => {
    expect(secondsUntilCompletion([batch(1, 50, 0), batch(2, 50, 0)], channels)).toBeNull();
  });

  it('has no estimate if none of its orders is pending', () => {
    expect(secondsUntilCompletion([], [channel(1)])).toBeNull();
  });
});

describe('an application with too many pending orders', () => {
  const own = '1' as ApplicationId;
  const shared = (id: number, pendingOf: ChannelState['pendingOf'], perSecond: number) =>
    channel(id, { pending: 1_000, pendingOf, ...atRate(perSecond, 0) });

  it('should retry when it has fewer, by its share of each channel', () => {
    const others = { ['2' as ApplicationId]: 500 };
    const channels = [shared(1, { [own]: 500, ...others }, 100), shared(2, { [own]: 1_000 }, 50), shared(3, others, 9)];
    expect(secondsUntilBelow(2_000, own, channels)).toBe(20);
  });

  it('should retry after a second at least, and a few minutes at most', () => {
    const at = (perSecond: number) => [shared(1, { [own]: 1_000 }, perSecond)];
    expect(secondsUntilBelow(1, own, at(1_000))).toBe(1);
    expect(secondsUntilBelow(1_000_000, own, at(10))).toBe(300);
    expect(secondsUntilBelow(1, own, at(0))).toBe(300);
  });
});
