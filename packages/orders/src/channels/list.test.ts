import type { BatchId } from '@lockstep/contract';
import { describe, expect, it } from 'vitest';
import { pickChannels, pickDelayed, sumBacklog } from './list.ts';
import type { ChannelState } from './state.ts';

const NOW = 1_000_000;

function channelOf(id: number, channelCode: string, changes: Partial<ChannelState> = {}): ChannelState {
  return {
    id,
    channelCode,
    pausedTime: null,
    pending: 0,
    held: 0,
    pendingOf: {},
    oldestPendingTime: null,
    oldestBatchId: null,
    perSecond: { accepted: 0, succeeded: 0, failed: 0 },
    time: NOW,
    ...changes,
  };
}

const ALL = [
  channelOf(3, 'Partner', { pending: 1, oldestPendingTime: NOW - 29_999 }),
  channelOf(1, 'tele', { pausedTime: NOW - 1, oldestPendingTime: NOW - 90_000 }),
  channelOf(2, 'web', { pending: 2, oldestPendingTime: NOW - 30_000, oldestBatchId: '7' as BatchId }),
  channelOf(4, 'zoo', { pending: 3, held: 2, oldestPendingTime: NOW }),
];
const EVERYTHING = { search: undefined, state: undefined };
const codesOf = ({ channels }: ReturnType<typeof pickChannels>) => channels.map(({ channelCode }) => channelCode);

describe('a list of channels', () => {
  it('has every channel once, page by page', () => {
    const first = pickChannels(ALL, EVERYTHING, { after: null, limit: 2 });
    expect([codesOf(first), first.stop]).toEqual([['Partner', 'tele'], '1']);
    const rest = pickChannels(ALL, EVERYTHING, { after: first.stop, limit: 2 });
    expect([codesOf(rest), rest.stop]).toEqual([['web', 'zoo'], null]);
  });

  it('is bounded by its page', () => {
    const many = Array.from({ length: 5_000 }, (_, index) => channelOf(index + 1, `shop-${index}`));
    expect(pickChannels(many, EVERYTHING, { after: '4990', limit: 7 })).toMatchObject({
      channels: { length: 7 },
      stop: '4997',
    });
    expect(codesOf(pickChannels(many, { ...EVERYTHING, search: 'P-4999' }, { after: null, limit: 2 }))).toEqual([
      'shop-4999',
    ]);
  });

  it('finds channels by state: behind if an order has waited half a minute and they are not paused', () => {
    const inState = (state: 'current' | 'holding' | 'behind' | 'paused') =>
      codesOf(pickChannels(ALL, { ...EVERYTHING, state }, { after: null, limit: 9 }));
    expect(inState('current')).toEqual(['Partner']);
    expect([inState('holding'), inState('behind'), inState('paused')]).toEqual([['zoo'], ['web'], ['tele']]);
  });
});

it('channels that are behind, paused or hold orders are named, longest wait first', () => {
  const { first, ...counts } = pickDelayed([
    ...ALL,
    ...Array.from({ length: 20 }, (_, index) => channelOf(index + 9, `empty-${index}`, { pausedTime: NOW })),
  ]);
  expect(counts).toEqual({ holding: 1, behind: 1, paused: 21 });
  expect(first.map(({ channelCode }) => channelCode).slice(0, 3)).toEqual(['tele', 'web', 'zoo']);
  expect(first).toHaveLength(10);
});

it('a backlog counts each order once: held, in a paused channel, or pending', () => {
  const stopped = channelOf(5, 'stopped', { pausedTime: NOW, pending: 5, held: 1 });
  expect(sumBacklog([...ALL, stopped])).toEqual({
    pendingOrders: 4,
    pausedOrders: 4,
    heldOrders: 3,
    oldest: { batchId: '7', acceptedTime: NOW - 30_000 },
  });
});
