import { describe, expect, it } from 'vitest';
import { lanesOfChannel } from '../lanes.ts';
import { type Drain, type DrainOutcome, Scheduler } from './scheduler.ts';

/** A scheduler with drains that the test finishes and a clock that the test sets. */
function newScheduler({ slots = 1, gapMs = 0 } = {}) {
  const scheduler = new Scheduler<string>({ slots, gapMs });
  const drains: Drain[] = [];
  const answers = new Map<string, string>();
  const allowance = { elsewhere: new Set<number>(), maxWeight: { alone: 1_000, beside: 100 }, isTurnFree: true };
  let nowMs = 0;
  const go = () => {
    for (let drain = scheduler.next(nowMs, allowance); drain !== null; drain = scheduler.next(nowMs, allowance))
      drains.push(drain);
    for (const { id, failure } of scheduler.takeSettled()) answers.set(id, failure?.error?.toString() ?? 'drained');
  };
  const end = (nth: number, outcome: DrainOutcome) => {
    scheduler.ended(drains[nth]!, outcome, nowMs);
    go();
  };
  return {
    request(id: string, lanes: number[], throughBatchId = 1n) {
      answers.set(id, 'waiting');
      scheduler.request(id, lanes, throughBatchId, nowMs);
      go();
    },
    answer: (id: string) => answers.get(id),
    drains,
    begun: () => drains.map(({ lanes }) => lanes),
    /**
     * Finishes the nth drain. `lanes`: those that it had locked; `left`: up to which batch it drained, for all of them
     * or for some.
     */
    end(
      nth: number,
      left: bigint | Record<number, bigint> | null = null,
      { lanes = drains[nth]!.lanes, weight = 1 } = {},
    ) {
      const more = typeof left === 'bigint' ? Object.fromEntries(lanes.map((lane) => [lane, left])) : (left ?? {});
      const byLane = new Map(Object.entries(more).map(([lane, batchId]) => [Number(lane), batchId]));
      end(nth, { became: 'drained', lanes, left: byLane, weight });
    },
    endLarge: (nth: number) => end(nth, { became: 'large', lanes: drains[nth]!.lanes }),
    fail: (nth: number, lanes = drains[nth]!.lanes) => end(nth, { became: 'failed', lanes, error: `${nth} failed` }),
    allow(change: Partial<typeof allowance>) {
      Object.assign(allowance, change);
      go();
    },
    /** Advances the clock to the next wake-up of the scheduler; returns how long that took. */
    wake() {
      const ms = scheduler.wakeMs(nowMs, allowance) - nowMs;
      if (Number.isFinite(ms)) nowMs += ms;
      go();
      return ms;
    },
    pass(ms: number) {
      nowMs += ms;
    },
    isExpected: (lane: number) => scheduler.isExpected(lane),
    isLocked: (lane: number) => scheduler.isLocked(lane),
  };
}

const lane = (channel: number, slot = 0) => 16 * channel + slot;

describe('one drain of a lane', () => {
  it('starts at once, takes all lanes of a request, and settles it', () => {
    const { request, begun, end, answer, wake } = newScheduler({ slots: 2 });
    request('a', [1, 2, 3]);
    expect([begun(), answer('a')]).toEqual([[[1, 2, 3]], 'waiting']);
    end(0);
    expect([begun().length, answer('a'), wake()]).toEqual([1, 'drained', Number.POSITIVE_INFINITY]);
  });

  it('is shared by all requests that arrive while one runs, even if slots are free', () => {
    const { request, begun, end, answer } = newScheduler({ slots: 3 });
    request('first', [1]);
    for (const id of ['b', 'c']) request(id, [1]);
    request('both', [1, 2]);
    expect(begun()).toEqual([[1], [2]]);
    end(0);
    expect(begun()).toEqual([[1], [2], [1]]);
    expect(['first', 'b', 'c', 'both'].map(answer)).toEqual(['drained', 'waiting', 'waiting', 'waiting']);
    end(2);
    expect(['b', 'c', 'both'].map(answer)).toEqual(['drained', 'drained', 'waiting']);
    end(1);
    expect([answer('both'), begun().length]).toEqual(['drained', 3]);
  });

  it('is expected while it runs or waits for a slot or a lock, and forgotten afterwards', () => {
    const { request, end, isExpected, isLocked, wake } = newScheduler();
    request('a', [3]);
    request('b', [5]);
    expect([3, 5, 7].map(isExpected)).toEqual([true, true, false]);
    end(0);
    end(1, null, { lanes: [] });
    expect([3, 5].map(isExpected)).toEqual([false, true]);
    expect(isLocked(5)).toBe(true);
    wake();
    end(2);
    expect([isExpected(5), isLocked(5)]).toEqual([false, false]);
  });

  it('settles a request for no lanes', () => {
    const { request, answer } = newScheduler();
    request('a', []);
    expect(answer('a')).toBe('drained');
  });

  it.each([
    [3n, 'waiting'],
    [4n, 'drained'],
    [5n, 'drained'],
  ])('up to batch %s leaves a request up to batch 4 %s, and continues without a request', (left, state) => {
    const { request, begun, end, answer } = newScheduler();
    request('a', [1], 4n);
    end(0, left);
    expect([answer('a'), begun()]).toEqual([state, [[1], [1]]]);
    end(1);
    expect([answer('a'), begun().length]).toEqual(['drained', 2]);
  });

  it('tracks progress lane by lane', () => {
    const { request, end, answer } = newScheduler();
    request('a', [1, 2], 4n);
    request('b', [2], 9n);
    end(0, { 2: 4n });
    expect([answer('a'), answer('b')]).toEqual(['drained', 'waiting']);
    end(1);
    expect(answer('b')).toBe('drained');
  });
});

describe('small channels', () => {
  it('share a drain, which takes all requests made until a slot is free', () => {
    const { request, begun, end } = newScheduler({ slots: 2 });
    for (const channel of [1, 2, 3, 4]) request(`${channel}`, [lane(channel)]);
    expect(begun()).toEqual([[lane(1)], [lane(2)]]);
    end(1);
    expect(begun().at(-1)).toEqual([lane(3), lane(4)]);
  });

  it('wait briefly for more requests before the next drain; backlogs do not', () => {
    const { request, begun, end, wake } = newScheduler({ slots: 3, gapMs: 5 });
    request('a', [1]);
    end(0, 4n);
    expect(begun()).toEqual([[1], [1]]);
    request('b', [lane(1)]);
    request('c', [lane(2)]);
    expect(begun().length).toBe(2);
    expect([wake(), begun().at(-1)]).toEqual([5, [lane(1), lane(2)]]);
  });

  it('take a bounded number of lanes at once', () => {
    const { request, begun, end } = newScheduler();
    const lanes = Array.from({ length: 300 }, (_, index) => index);
    request('a', lanes);
    end(0);
    end(1);
    end(2);
    expect([begun().map(({ length }) => length), begun().flat()]).toEqual([[128, 128, 44], lanes]);
  });
});

describe('a channel with a backlog', () => {
  it('is drained alone, in a part for each slot except one, which is left to others', () => {
    const { request, begun, end } = newScheduler({ slots: 3 });
    const lanes = lanesOfChannel(1);
    request('a', lanes);
    end(0, 1n);
    expect(begun().slice(1)).toEqual([lanes.slice(0, 8), lanes.slice(8)]);
    request('b', [lane(2)]);
    expect(begun().at(-1)).toEqual([lane(2)]);
  });

  it('waits for its turn, and repays excess work in turns', () => {
    const { request, begun, end } = newScheduler();
    for (const channel of [1, 2]) request(`${channel}`, [lane(channel)]);
    end(0, 1n);
    end(1, 1n);
    const next = (weight: number) => {
      end(begun().length - 1, 1n, { weight });
      return begun().at(-1)![0]! / 16;
    };
    expect([1, 1, 1, 1].map(next)).toEqual([1, 2, 1, 2]);
    expect([350, 1, 1, 1, 1].map(next)).toEqual([1, 1, 1, 2, 1]);
    // What it owes is bounded.
    expect([1_000_000, ...Array(9).fill(1)].map(next)).toEqual([...Array(9).fill(2), 1]);
  });

  it('delays small channels by one drain, and they delay it by one', () => {
    const { request, begun, end } = newScheduler();
    request('a', [lane(1)]);
    end(0, 1n);
    for (const id of ['b', 'c']) {
      request(id, [lane(2)]);
      expect(begun().at(-1)).toEqual([lane(1)]);
      end(begun().length - 1, 1n);
      expect(begun().at(-1)).toEqual([lane(2)]);
      request(`${id}2`, [lane(2)]);
      end(begun().length - 1);
    }
  });

  it('keeps few requests waiting, so that jobs of other channels can be taken', () => {
    const { request, end, answer } = newScheduler();
    const ids = Array.from({ length: 20 }, (_, index) => `${index}`);
    for (const id of ids) request(id, [lane(1)], 99n);
    end(0, 1n);
    request('both', [lane(1), lane(2)], 99n);
    expect(ids.filter((id) => answer(id) === 'waiting').length).toBe(8);
    expect(answer('both')).toBe('waiting');
    end(1, 1n);
    end(2);
    expect(answer('both')).toBe('drained');
  });

  it('is left to another process that drains it, and frees its slot for others', () => {
    const { request, begun, end, allow } = newScheduler();
    allow({ elsewhere: new Set([1]) });
    request('a', [lane(1)]);
    request('b', [lane(2)]);
    end(0, 1n);
    end(1, 1n);
    end(2, 1n);
    expect(begun()).toEqual([[lane(1)], [lane(2)], [lane(2)], [lane(2)]]);
    allow({ elsewhere: new Set() });
    end(3, 1n);
    expect(begun().at(-1)).toEqual([lane(1)]);
  });

  it('takes more at once while no other channel is active', () => {
    const { request, drains, end, wake } = newScheduler({ slots: 1, gapMs: 3_000 });
    request('a', [lane(1)]);
    end(0, 1n);
    request('b', [lane(2)]);
    end(1, 1n);
    end(2);
    wake();
    expect(drains.map(({ maxWeight }) => maxWeight)).toEqual([1_000, 1_000, 100, 1_000]);
  });

  it('takes the lanes first that have waited longest, even if others are requested meanwhile', () => {
    const { request, begun, end } = newScheduler({ slots: 5 });
    const lanes = lanesOfChannel(0);
    request('0', lanes);
    request('1', lanesOfChannel(1));
    for (let nth = 0; nth < 16; nth++) {
      end(nth, 1n);
      request(`${nth}`, lanes);
    }
    const ofChannel = begun().filter(([lane], nth) => nth >= 2 && lane! < 16);
    expect(ofChannel.slice(0, 6).flat()).toEqual([...lanes, ...lanes.slice(0, 8)]);
  });
});

describe('lanes that are locked elsewhere', () => {
  it('block nothing, and are retried after growing pauses', () => {
    const { request, begun, end, answer, wake } = newScheduler();
    request('both', [1, 2]);
    end(0, null, { lanes: [1] });
    expect(answer('both')).toBe('drained');
    const pauses = Array.from({ length: 9 }, (_, index) => {
      const ms = wake();
      expect(begun().at(-1)).toEqual([2]);
      end(index + 1, null, { lanes: [] });
      return ms;
    });
    expect(pauses).toEqual([4, 8, 16, 32, 64, 128, 256, 512, 512]);
  });
});

describe('a failing drain', () => {
  it('fails only the requests that waited for its lanes', () => {
    const { request, fail, end, answer } = newScheduler({ slots: 2 });
    request('one', [1]);
    request('two', [lane(2)]);
    request('later', [1]);
    fail(0);
    expect(['one', 'two', 'later'].map(answer)).toEqual(['0 failed', 'waiting', 'drained']);
    end(1);
    expect(answer('two')).toBe('drained');
  });

  it('does not fail a request that no longer waits for its lane', () => {
    const { request, fail, end, answer } = newScheduler({ slots: 3 });
    request('both', [lane(1), lane(2)], 4n);
    end(0, { [lane(1)]: 3n, [lane(2)]: 4n });
    fail(2);
    expect(answer('both')).toBe('waiting');
  });

  it('fails only the lanes that it had locked', () => {
    const { request, fail, answer, isLocked, begun } = newScheduler();
    request('one', [1]);
    request('three', [1, 2, 3]);
    fail(0, []);
    expect([answer('one'), isLocked(1)]).toEqual(['drained', true]);
    fail(1, [2]);
    expect([answer('three'), isLocked(3), begun().length]).toEqual(['1 failed', true, 2]);
  });

  it('delays no other lane, and no later request for its lane', () => {
    const { request, begun, fail, end, answer } = newScheduler();
    request('a', [1]);
    fail(0);
    request('b', [1]);
    request('c', [1, 2]);
    expect([answer('b'), begun()]).toEqual(['drained', [[1], [2]]]);
    end(1);
    expect(answer('c')).toBe('drained');
  });

  it('is retried after growing pauses, each lane alone, the least recently tried first', () => {
    const { request, begun, fail, wake } = newScheduler({ slots: 4 });
    request('a', [1, 2, 3]);
    fail(0);
    const pauses = Array.from({ length: 9 }, (_, nth) => {
      const ms = wake();
      fail(nth + 1);
      return ms;
    });
    expect(begun().slice(1)).toEqual([1, 2, 3, 1, 2, 3, 1, 2, 3].map((lane) => [lane]));
    expect(pauses).toEqual([100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000]);
  });

  it('tries more and more lanes at once when one works again, so that thousands recover soon', () => {
    const { request, begun, fail, end, wake, isExpected } = newScheduler({ slots: 4 });
    const lanes = Array.from({ length: 100 }, (_, index) => index);
    request('a', lanes);
    fail(0);
    wake();
    const endLast = () => end(begun().length - 1);
    for (let tries = 0; tries < 3; tries++) endLast();
    expect(
      begun()
        .slice(1)
        .map(({ length }) => length),
    ).toEqual([1, 2, 4, 8]);
    fail(4);
    wake();
    expect(begun().at(-1)?.length).toBe(1);
    for (let tries = 0; tries < 7; tries++) endLast();
    expect(lanes.some(isExpected)).toBe(false);
  });

  it('gets its turn although others always have more', () => {
    const { request, begun, fail, end, pass } = newScheduler();
    request('a', [1]);
    fail(0);
    request('b', [lane(1)]);
    end(1, 1n);
    pass(100);
    end(2, 1n);
    expect(begun()).toEqual([[1], [lane(1)], [lane(1)], [1]]);
  });

  it('is never tried together with other lanes, and leaves them a slot', () => {
    const { request, begun, fail, wake } = newScheduler({ slots: 2 });
    request('a', [1, lane(1)]);
    fail(0);
    wake();
    request('b', [2]);
    expect(begun().slice(1)).toEqual([[1], [2]]);
  });
});

describe('large work', () => {
  it('is found by draining each lane alone, and waits for its turn', () => {
    const { request, drains, endLarge, end, allow, answer } = newScheduler({ slots: 2 });
    const shown = () => drains.map(({ lanes, isLarge }) => (isLarge ? `large ${lanes}` : `${lanes}`));
    request('a', [1, 2], 1n);
    endLarge(0);
    expect(shown()).toEqual(['1,2', '1']);
    allow({ isTurnFree: false });
    endLarge(1);
    expect(shown()).toEqual(['1,2', '1', '2']);
    end(2);
    expect([shown().length, answer('a')]).toEqual([3, 'waiting']);
    request('b', [3]);
    expect(shown().at(-1)).toBe('3');
    allow({ isTurnFree: true });
    expect(shown().at(-1)).toBe('large 1');
    end(4);
    expect(answer('a')).toBe('drained');
  });

  it('is found by halving the lanes that touched too much together; the others are drained together again', () => {
    const { request, drains, endLarge, end } = newScheduler();
    const shown = () => drains.map(({ lanes, isLarge }) => (isLarge ? `large ${lanes}` : `${lanes}`));
    request('a', [1, 2, 3, 4, 5, 6, 7, 8]);
    endLarge(0);
    endLarge(1);
    end(2);
    end(3);
    end(4);
    expect(shown()).toEqual(['1,2,3,4,5,6,7,8', '1,2,3,4', '5,6', '7,8,1,2', '3,4']);
  });

  it('is done by the channels in turn, even if many lanes of one have it', () => {
    const { request, drains, endLarge, end } = newScheduler({ slots: 2 });
    for (const [nth, each] of [lane(1, 0), lane(1, 1), lane(1, 2), lane(2)].entries()) {
      request(`${nth}`, [each]);
      endLarge(drains.findLastIndex(({ isLarge }) => !isLarge));
    }
    for (let turn = 0; turn < 3; turn++) end(drains.findLastIndex(({ isLarge }) => isLarge));
    const turns = drains.filter(({ isLarge }) => isLarge).map(({ lanes }) => lanes[0]);
    expect(turns).toEqual([lane(1, 0), lane(1, 1), lane(2), lane(1, 2)]);
  });

  it('does not delay other lanes that may have it', () => {
    const { request, begun, endLarge } = newScheduler({ slots: 2 });
    request('a', [1]);
    endLarge(0);
    request('b', [2, 3]);
    endLarge(2);
    expect(begun()).toEqual([[1], [1], [2, 3], [2]]);
  });

  it('checks for its turn again while other work of the process has it', () => {
    const { request, drains, endLarge, allow, wake } = newScheduler();
    allow({ isTurnFree: false });
    request('a', [1]);
    endLarge(0);
    expect([drains.length, wake()]).toEqual([1, 20]);
  });

  it('needs its turn also after a failure', () => {
    const { request, drains, endLarge, fail, wake } = newScheduler();
    request('a', [1]);
    endLarge(0);
    fail(1);
    expect([wake(), drains.at(-1)]).toMatchObject([100, { kind: 'trial', isLarge: true, lanes: [1] }]);
  });
});
