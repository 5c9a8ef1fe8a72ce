import { describe, expect, it, vi } from 'vitest';
import { DrainScheduler } from './drain-scheduler.ts';

/** A scheduler whose drains a test ends by hand. */
function newScheduler(slots = 1, gapMs = 0) {
  const drains: {
    lanes: number[];
    atMost: number;
    take: (lanes: number[]) => void;
    end: (throughBatchId: bigint | null, lanes?: number[]) => void;
    fail: (error: Error) => void;
  }[] = [];
  const scheduler = new DrainScheduler({
    slots,
    gapMs,
    drain: ({ lanes, atMost, onTaken }) =>
      new Promise((resolve, reject) => {
        let taken = lanes;
        const take = (those: number[]) => {
          taken = those;
          onTaken(those);
        };
        const end = (throughBatchId: bigint | null, drained = taken) => resolve({ lanes: drained, throughBatchId });
        drains.push({ lanes, atMost, take, end, fail: reject });
      }),
  });
  return {
    /** Asks for the lanes up to a batch; `state` tells what has become of it. */
    request(lanes: number[], throughBatchId = 1n) {
      const request = { state: 'waiting' };
      scheduler.request(lanes, throughBatchId).then(
        () => {
          request.state = 'drained';
        },
        (error: Error) => {
          request.state = error.message;
        },
      );
      return request;
    },
    /** The lanes of each drain that has begun. */
    begun: () => drains.map(({ lanes }) => lanes),
    /** How many lanes each drain may take. */
    atMost: () => drains.map(({ atMost }) => atMost),
    /** Lets the nth drain have some of its lanes only. */
    take: (nth: number, lanes: number[]) => drains[nth]!.take(lanes),
    heldLanes: () => [...scheduler.heldLanes],
    /** Ends the nth drain, which left nothing behind or else what came after a batch. `lanes`: if it lost some of them. */
    end: (nth: number, throughBatchId: bigint | null = null, lanes?: number[]) =>
      settled(() => drains[nth]!.end(throughBatchId, lanes)),
    /** Waits until so many drains have begun. */
    begin: (count: number) => vi.waitUntil(() => drains.length >= count, { interval: 5, timeout: 10_000 }),
    isExpected: (lane: number) => scheduler.isExpected(lane),
    close: () => scheduler.close(),
    fail: (nth: number) => settled(() => drains[nth]!.fail(new Error(`drain ${nth} failed`))),
  };
}

/** Lets everything run that `act` has set off. */
async function settled(act: () => void): Promise<void> {
  act();
  await new Promise((resolve) => setImmediate(resolve));
}

describe('single flight', () => {
  it('drains at once what is asked for', async () => {
    const { request, begun, end } = newScheduler();
    const first = request([3, 5]);
    expect(begun()).toEqual([[3, 5]]);
    await settled(() => {});
    expect(first.state).toBe('waiting');
    await end(0);
    expect(first.state).toBe('drained');
    expect(begun()).toEqual([[3, 5]]);
  });

  it('expects a lane that is drained, or waits for a slot, and no other', async () => {
    const { request, end, isExpected } = newScheduler();
    request([3]);
    request([5]);
    expect([3, 5, 7].map(isExpected)).toEqual([true, true, false]);
    await end(0);
    expect([3, 5, 7].map(isExpected)).toEqual([false, true, false]);
  });

  it('has nothing to do for no lanes', async () => {
    const { request, begun } = newScheduler();
    const first = request([]);
    await settled(() => {});
    expect(first.state).toBe('drained');
    expect(begun()).toEqual([]);
  });

  it('runs one drain of a lane at a time, however many slots are free', async () => {
    const { request, begun, end } = newScheduler(3);
    request([1]);
    request([1]);
    request([1, 2]);
    expect(begun()).toEqual([[1], [2]]);
    await end(0);
    expect(begun()).toEqual([[1], [2], [1]]);
  });

  it('lets all who come while a lane is drained share the next drain', async () => {
    const { request, begun, end } = newScheduler();
    const first = request([1]);
    const later = [request([1]), request([1]), request([1, 2]), request([2])];
    await end(0);
    expect(first.state).toBe('drained');
    expect(later.map(({ state }) => state)).toEqual(Array(4).fill('waiting'));
    expect(begun()).toEqual([[1], [1, 2]]);
    await end(1);
    expect(later.map(({ state }) => state)).toEqual(Array(4).fill('drained'));
    expect(begun().length).toBe(2);
  });

  it('answers only after a drain that began after the request', async () => {
    const { request, end } = newScheduler();
    request([1], 5n);
    const later = request([1], 5n);
    await end(0);
    expect(later.state).toBe('waiting');
    await end(1);
    expect(later.state).toBe('drained');
  });

  it('answers when the last of the lanes is drained', async () => {
    const { request, begun, end } = newScheduler(2);
    request([1]);
    const both = request([1, 2]);
    expect(begun()).toEqual([[1], [2]]);
    await end(1);
    expect(both.state).toBe('waiting');
    await end(0);
    await end(2);
    expect(both.state).toBe('drained');
  });
});

describe('slots', () => {
  it('takes all lanes of a batch at once, so that its orders take effect together', () => {
    const { request, begun } = newScheduler(2);
    request([1, 2, 3, 4, 5]);
    expect(begun()).toEqual([[1, 2, 3, 4, 5]]);
  });

  it('gives what is wanted to the slot that comes free', async () => {
    const { request, begun, end } = newScheduler(2);
    request([1]);
    request([2]);
    request([3]);
    request([4]);
    expect(begun()).toEqual([[1], [2]]);
    await end(1);
    expect(begun()).toEqual([[1], [2], [3, 4]]);
  });

  it('keeps a slot free rather than drain a lane twice', async () => {
    const { request, begun, end } = newScheduler(2);
    request([1]);
    request([1]);
    expect(begun()).toEqual([[1]]);
    request([2]);
    expect(begun()).toEqual([[1], [2]]);
    await end(1);
    expect(begun()).toEqual([[1], [2]]);
    await end(0);
    expect(begun()).toEqual([[1], [2], [1]]);
  });

  it('gives a slot back when a drain fails', async () => {
    const { request, begun, fail } = newScheduler();
    request([1]);
    request([2]);
    await fail(0);
    expect(begun()).toEqual([[1], [2]]);
  });
});

describe('a drain that left something behind', () => {
  it('goes on until nothing is left, though nobody waits any more', async () => {
    const { request, begun, end } = newScheduler();
    const first = request([1, 2], 4n);
    await end(0, 4n);
    expect(first.state).toBe('drained');
    expect(begun()).toEqual([
      [1, 2],
      [1, 2],
    ]);
    await end(1, 9n);
    await end(2);
    expect(begun().length).toBe(3);
  });

  it.each([
    [3n, 'waiting'],
    [4n, 'drained'],
    [5n, 'drained'],
  ])('up to batch %s leaves a request up to batch 4 %s', async (throughBatchId, state) => {
    const { request, end } = newScheduler();
    const first = request([1], 4n);
    await end(0, throughBatchId);
    expect(first.state).toBe(state);
    await end(1);
    expect(first.state).toBe('drained');
  });

  it('answers each request at its own batch', async () => {
    const { request, end } = newScheduler();
    request([1], 1n);
    const later = [request([1], 7n), request([1], 3n), request([1], 5n)];
    await end(0);
    await end(1, 5n);
    expect(later.map(({ state }) => state)).toEqual(['waiting', 'drained', 'drained']);
    await end(2);
    expect(later.map(({ state }) => state)).toEqual(['drained', 'drained', 'drained']);
  });

  it('counts lanes that were drained far enough, once', async () => {
    const { request, begun, end } = newScheduler(2);
    request([1], 1n);
    const both = request([1, 2], 4n);
    await end(1, 4n);
    await end(0, 3n);
    expect(begun()).toEqual([[1], [2], [2], [1]]);
    await end(2);
    expect(both.state).toBe('waiting');
    await end(3, 4n);
    expect(both.state).toBe('drained');
  });
});

describe('a drain that runs again and loses a lane to somebody else', () => {
  it('is over for the others, and that lane is drained again after a pause', async () => {
    const { request, begun, begin, end, heldLanes } = newScheduler();
    const both = request([1, 2]);
    await end(0, null, [1]);
    expect(both.state).toBe('drained');
    expect(heldLanes()).toEqual([2]);
    await begin(2);
    expect(begun().at(-1)).toEqual([2]);
  });
});

describe('a failing drain', () => {
  it('fails those who wait for its lanes and nobody else', async () => {
    const { request, begun, end, fail } = newScheduler(2);
    const [one, two] = [request([1]), request([2])];
    await fail(0);
    expect([one.state, two.state]).toEqual(['drain 0 failed', 'waiting']);
    await end(1);
    expect(two.state).toBe('drained');
    expect(begun()).toEqual([[1], [2]]);
  });

  it('fails who waits for one of its lanes among others', async () => {
    const { request, end, fail } = newScheduler(2);
    request([1]);
    const both = request([1, 2]);
    await end(0);
    await fail(1);
    expect(both.state).toBe('drain 1 failed');
  });

  it('does not fail who came while it ran, and keeps them no longer', async () => {
    const { request, begun, fail } = newScheduler();
    const first = request([1]);
    const later = request([1]);
    await fail(0);
    expect([first.state, later.state]).toEqual(['drain 0 failed', 'drained']);
    expect(begun()).toEqual([[1]]);
  });

  it('runs again by itself, each lane alone and one at a time', async () => {
    const { request, begun, begin, end, fail } = newScheduler(2);
    request([1, 2, 3]);
    await fail(0);
    await begin(2);
    expect(begun()).toEqual([[1, 2, 3], [1]]);
    await fail(1);
    // The others have their turn: what keeps one lane need not keep them.
    await begin(3);
    expect(begun().at(-1)).toEqual([2]);
    await end(2);
    // One that is well again is taken for a sign, and the next waits no longer.
    await begin(4);
    expect(begun().at(-1)).toEqual([3]);
    await end(3);
    await begin(5);
    expect(begun().at(-1)).toEqual([1]);
    await end(4);
    request([1, 2, 3]);
    expect(begun().at(-1)?.toSorted()).toEqual([1, 2, 3]);
  });

  it('keeps nobody who asks for its lane meanwhile, and no other lane', async () => {
    const { request, begun, end, fail } = newScheduler(2);
    request([1]);
    await fail(0);
    const [failing, both] = [request([1]), request([1, 2])];
    await settled(() => {});
    expect(failing.state).toBe('drained');
    expect(begun()).toEqual([[1], [2]]);
    await end(1);
    expect(both.state).toBe('drained');
  });

  it('runs no more when the scheduler is closed', async () => {
    const { request, begun, fail, close } = newScheduler();
    request([1]);
    await fail(0);
    await close();
    expect(begun()).toEqual([[1]]);
  });

  it('does not fail who needed its lane no longer', async () => {
    const { request, end, fail } = newScheduler(2);
    request([1]);
    const both = request([1, 2], 4n);
    await end(1, 4n);
    await fail(2);
    expect(both.state).toBe('waiting');
    await end(0);
    await end(3);
    expect(both.state).toBe('drained');
  });

  it('may fail by throwing at once', async () => {
    const scheduler = new DrainScheduler({
      slots: 1,
      gapMs: 0,
      drain: () => {
        throw new Error('thrown');
      },
    });
    await expect(scheduler.request([1], 1n)).rejects.toThrow('thrown');
  });
});

describe('shares', () => {
  it('takes a share of the lanes while there is more than a drain carries, so that other slots have some', async () => {
    const { request, begun, atMost, take, end } = newScheduler(3);
    request([1, 2, 3, 4, 5]);
    await end(0, 4n);
    expect([begun().length, atMost()]).toEqual([2, [5, 2]]);
    take(1, [1, 2]);
    expect(begun().at(-1)).toEqual([3, 4, 5]);
    take(2, [3, 4]);
    expect(begun().at(-1)).toEqual([5]);
    expect(atMost()).toEqual([5, 2, 2, 2]);
    take(3, [5]);
    await end(1);
    await end(2);
    await end(3);
    request([1, 2, 3, 4, 5]);
    expect([begun().at(-1), atMost().at(-1)]).toEqual([[1, 2, 3, 4, 5], 5]);
  });

  it('keeps nobody waiting for lanes that somebody else has, and tries them again', async () => {
    const { request, begun, begin, take, end, heldLanes, isExpected } = newScheduler();
    const both = request([1, 2]);
    take(0, [1]);
    expect([heldLanes(), isExpected(2)]).toEqual([[2], true]);
    await end(0);
    expect(both.state).toBe('drained');
    await begin(2);
    expect(begun().at(-1)).toEqual([2]);
    take(1, []);
    await end(1);
    await begin(3);
    take(2, [2]);
    expect(heldLanes()).toEqual([]);
    await end(2);
    expect(begun().length).toBe(3);
  });

  it('fails with the lanes that it had taken, and no other', async () => {
    const { request, begun, take, end, fail } = newScheduler(2);
    request([1, 2, 3], 1n);
    await end(0, 0n);
    const third = request([3], 0n);
    take(1, [1, 2]);
    await fail(1);
    expect(begun().at(-1)).toEqual([3]);
    await end(2);
    expect(third.state).toBe('drained');
  });
});

describe('a gap between drains', () => {
  it('lets more gather for the next one, but not while there is more than one carries', async () => {
    const { request, begun, end, isExpected, close } = newScheduler(2, 600_000);
    request([1]);
    await end(0, 4n);
    expect(begun()).toEqual([[1], [1]]);
    await end(1);
    request([1]);
    request([2]);
    expect(begun().length).toBe(2);
    expect([1, 2].map(isExpected)).toEqual([true, true]);
    await close();
  });

  it('ends by itself', async () => {
    const { request, begun, begin, end } = newScheduler(1, 10);
    request([1]);
    await end(0);
    request([1, 2]);
    await begin(2);
    expect(begun().at(-1)).toEqual([1, 2]);
  });
});

it('takes the lanes first that have waited longest, whoever asks for the others meanwhile', async () => {
  const { request, begun, take, end } = newScheduler();
  const lanes = [0, 1, 2, 3, 4, 5, 6, 7];
  request(lanes);
  take(0, lanes);
  await end(0, 1n);
  const taken: number[] = [];
  for (let nth = 1; nth <= 8; nth++) {
    const share = begun()[nth]!.slice(0, 2);
    take(nth, share);
    request(lanes);
    await end(nth, 1n);
    taken.push(...share);
  }
  expect(taken.slice(0, 8)).toEqual(lanes);
});
