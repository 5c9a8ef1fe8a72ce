import { describe, expect, it } from 'vitest';
import { lanesOfChannel } from '../lanes.ts';
import { type Drain, type DrainOutcome, Scheduler } from './scheduler.ts';

/** A scheduler whose drains a test ends by hand, and whose clock it sets. */
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
    /** Asks for lanes up to a batch. */
    request(id: string, lanes: number[], throughBatchId = 1n) {
      answers.set(id, 'waiting');
      scheduler.request(id, lanes, throughBatchId, nowMs);
      go();
    },
    answer: (id: string) => answers.get(id),
    drains,
    /** The lanes of each drain that has begun. */
    begun: () => drains.map(({ lanes }) => lanes),
    /**
     * Ends the nth drain. `lanes`: those that it had; `left`: up to which batch it came, in each of them or in some.
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
    /** Goes on to the time at which the scheduler wants to be woken; returns how long that took. */
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

/** A lane of a channel. */
const lane = (channel: number, slot = 0) => 16 * channel + slot;

describe('one drain of a lane', () => {
  it('begins at once, takes all lanes of a request, and answers it', () => {
    const { request, begun, end, answer, wake } = newScheduler({ slots: 2 });
    request('a', [1, 2, 3]);
    expect([begun(), answer('a')]).toEqual([[[1, 2, 3]], 'waiting']);
    end(0);
    expect([begun().length, answer('a'), wake()]).toEqual([1, 'drained', Number.POSITIVE_INFINITY]);
  });

  it('is shared by all who come while one runs, however many slots are free', () => {
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

  it('is expected while it runs, waits for a slot or for a lock, and then forgotten', () => {
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

  it('answers a request for no lanes', () => {
    const { request, answer } = newScheduler();
    request('a', []);
    expect(answer('a')).toBe('drained');
  });

  it.each([
    [3n, 'waiting'],
    [4n, 'drained'],
    [5n, 'drained'],
  ])('up to batch %s leaves a request up to batch 4 %s, and goes on by itself', (left, state) => {
    const { request, begun, end, answer } = newScheduler();
    request('a', [1], 4n);
    end(0, left);
    expect([answer('a'), begun()]).toEqual([state, [[1], [1]]]);
    end(1);
    expect([answer('a'), begun().length]).toEqual(['drained', 2]);
  });

  it('counts lane by lane how far it came', () => {
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
  it('share a drain, which takes what gathers until a slot is free', () => {
    const { request, begun, end } = newScheduler({ slots: 2 });
    for (const channel of [1, 2, 3, 4]) request(`${channel}`, [lane(channel)]);
    expect(begun()).toEqual([[lane(1)], [lane(2)]]);
    end(1);
    expect(begun().at(-1)).toEqual([lane(3), lane(4)]);
  });

  it('let more gather before the next drain, but not what is behind', () => {
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

describe('a channel that is behind', () => {
  it('is drained alone, in as many parts as there are slots but for one, which is for others', () => {
    const { request, begun, end } = newScheduler({ slots: 3 });
    const lanes = lanesOfChannel(1);
    request('a', lanes);
    end(0, 1n);
    expect(begun().slice(1)).toEqual([lanes.slice(0, 8), lanes.slice(8)]);
    request('b', [lane(2)]);
    expect(begun().at(-1)).toEqual([lane(2)]);
  });

  it('waits for its turn, and leaves as many turns to others as it took shares too many', () => {
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

  it('keeps small channels waiting for one drain, and they it', () => {
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

  it('keeps few requests waiting, so that those of other channels can come', () => {
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

  it('is left to another process that drains it, and its place to others', () => {
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

  it('takes the lanes first that have waited longest, whoever asks for the others meanwhile', () => {
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
  it('keep nobody waiting, and are tried again after pauses that grow', () => {
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
  it('fails those who waited for its lanes, and nobody else', () => {
    const { request, fail, end, answer } = newScheduler({ slots: 2 });
    request('one', [1]);
    request('two', [lane(2)]);
    request('later', [1]);
    fail(0);
    expect(['one', 'two', 'later'].map(answer)).toEqual(['0 failed', 'waiting', 'drained']);
    end(1);
    expect(answer('two')).toBe('drained');
  });

  it('does not fail who needed its lane no longer', () => {
    const { request, fail, end, answer } = newScheduler({ slots: 3 });
    request('both', [lane(1), lane(2)], 4n);
    end(0, { [lane(1)]: 3n, [lane(2)]: 4n });
    fail(2);
    expect(answer('both')).toBe('waiting');
  });

  it('fails with the lanes that it had, and no other', () => {
    const { request, fail, answer, isLocked, begun } = newScheduler();
    request('one', [1]);
    request('three', [1, 2, 3]);
    fail(0, []);
    expect([answer('one'), isLocked(1)]).toEqual(['drained', true]);
    fail(1, [2]);
    expect([answer('three'), isLocked(3), begun().length]).toEqual(['1 failed', true, 2]);
  });

  it('keeps nobody who asks for its lane meanwhile, and no other lane', () => {
    const { request, begun, fail, end, answer } = newScheduler();
    request('a', [1]);
    fail(0);
    request('b', [1]);
    request('c', [1, 2]);
    expect([answer('b'), begun()]).toEqual(['drained', [[1], [2]]]);
    end(1);
    expect(answer('c')).toBe('drained');
  });

  it('is tried again after pauses that grow, each lane alone, the least recently tried first', () => {
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

  it('is over for more and more lanes at once when it works again, so that thousands are well soon', () => {
    const { request, begun, fail, end, wake, isExpected } = newScheduler({ slots: 4 });
    const lanes = Array.from({ length: 100 }, (_, index) => index);
    request('a', lanes);
    fail(0);
    wake();
    const goOn = () => end(begun().length - 1);
    for (let tries = 0; tries < 3; tries++) goOn();
    expect(
      begun()
        .slice(1)
        .map(({ length }) => length),
    ).toEqual([1, 2, 4, 8]);
    fail(4);
    wake();
    expect(begun().at(-1)?.length).toBe(1);
    for (let tries = 0; tries < 7; tries++) goOn();
    expect(lanes.some(isExpected)).toBe(false);
  });

  it('has its turn, though others always have more', () => {
    const { request, begun, fail, end, pass } = newScheduler();
    request('a', [1]);
    fail(0);
    request('b', [lane(1)]);
    end(1, 1n);
    pass(100);
    end(2, 1n);
    expect(begun()).toEqual([[1], [lane(1)], [lane(1)], [1]]);
  });

  it('is never tried together with others, and leaves them a slot', () => {
    const { request, begun, fail, wake } = newScheduler({ slots: 2 });
    request('a', [1, lane(1)]);
    fail(0);
    wake();
    request('b', [2]);
    expect(begun().slice(1)).toEqual([[1], [2]]);
  });
});

describe('large work', () => {
  it('has each lane drained alone that touched much together, and waits for the turn where it is', () => {
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

  it('is found by halves among many lanes that touched much together, and the others go on together', () => {
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

  it('is done by the channels in turn, however many lanes of one have it', () => {
    const { request, drains, endLarge, end } = newScheduler({ slots: 2 });
    for (const [nth, each] of [lane(1, 0), lane(1, 1), lane(1, 2), lane(2)].entries()) {
      request(`${nth}`, [each]);
      endLarge(drains.findLastIndex(({ isLarge }) => !isLarge));
    }
    for (let turn = 0; turn < 3; turn++) end(drains.findLastIndex(({ isLarge }) => isLarge));
    const turns = drains.filter(({ isLarge }) => isLarge).map(({ lanes }) => lanes[0]);
    expect(turns).toEqual([lane(1, 0), lane(1, 1), lane(2), lane(1, 2)]);
  });

  it('keeps nobody waiting who may have it, too', () => {
    const { request, begun, endLarge } = newScheduler({ slots: 2 });
    request('a', [1]);
    endLarge(0);
    request('b', [2, 3]);
    endLarge(2);
    expect(begun()).toEqual([[1], [1], [2, 3], [2]]);
  });

  it('looks again for the turn when somebody else of the process has it', () => {
    const { request, drains, endLarge, allow, wake } = newScheduler();
    allow({ isTurnFree: false });
    request('a', [1]);
    endLarge(0);
    expect([drains.length, wake()]).toEqual([1, 20]);
  });

  it('needs the turn also when it has failed', () => {
    const { request, drains, endLarge, fail, wake } = newScheduler();
    request('a', [1]);
    endLarge(0);
    fail(1);
    expect([wake(), drains.at(-1)]).toMatchObject([100, { kind: 'trial', isLarge: true, lanes: [1] }]);
  });
});
