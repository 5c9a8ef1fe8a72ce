import { expect, it } from 'vitest';
import { Overload } from './deadline.ts';
import { FairQueue } from './fair-queue.ts';

/** Work that runs until the test ends it; `begun` lists the work that has started, in order. */
function workshop() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (name: string) => () => {
    begun.push(name);
    return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
  };
  /** Ends some work, so that the work behind it can start. */
  const end = async (name: string) => {
    ends.get(name)!();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { begun, work, end };
}

it('runs a limited number at once, fewer of one party, and the rest in turn', async () => {
  const { begun, work, end } = workshop();
  const queue = new FairQueue({ atOnce: 3, atOnceOfParty: 2, maxWaiting: 10 });
  const running = ['a1', 'a2', 'a3', 'b1', 'b2'].map((name) => queue.run(name[0]!, undefined, work(name)));
  await new Promise((resolve) => setImmediate(resolve));
  expect(begun).toEqual(['a1', 'a2', 'b1']);
  await end('b1');
  expect(begun).toEqual(['a1', 'a2', 'b1', 'b2']);
  await end('a1');
  expect(begun).toEqual(['a1', 'a2', 'b1', 'b2', 'a3']);
  for (const name of ['a2', 'a3', 'b2']) await end(name);
  expect(await Promise.all(running)).toEqual(['a1', 'a2', 'a3', 'b1', 'b2']);
});

it('continues after work that failed, and never starts work whose caller gave up before its turn', async () => {
  const { begun, work, end } = workshop();
  const queue = new FairQueue({ atOnce: 1, maxWaiting: 10 });
  const caller = new AbortController();
  const failing = queue.run('a', undefined, () => Promise.reject(new Error('failed')));
  const first = queue.run('a', caller.signal, work('first'));
  const given = queue.run('a', caller.signal, work('given up'));
  const last = queue.run('a', undefined, work('last'));
  await expect(failing).rejects.toThrow('failed');
  expect(begun).toEqual(['first']);
  caller.abort(new Overload('gone'));
  await expect(given).rejects.toThrow('gone');
  await expect(queue.run('a', caller.signal, work('too late'))).rejects.toThrow('gone');
  // Work that has started keeps its slot until it ends, even if its caller gives up.
  expect(begun).toEqual(['first']);
  await end('first');
  await end('last');
  expect(await Promise.all([first, last])).toEqual(['first', 'last']);
  expect(begun).toEqual(['first', 'last']);
});

it('lets a limited number of a party wait, and refuses more as overload', async () => {
  const { work, end } = workshop();
  const queue = new FairQueue({ atOnce: 1, maxWaiting: 2 });
  const running = ['a1', 'a2', 'a3'].map((name) => queue.run('a', undefined, work(name)));
  await expect(queue.run('a', undefined, work('a4'))).rejects.toBeInstanceOf(Overload);
  expect(() => queue.requireRoom('b', 3)).toThrow(Overload);
  queue.requireRoom('b', 2);
  await end('a1');
  running.push(queue.run('a', undefined, work('a4')));
  for (const name of ['a2', 'a3', 'a4']) await end(name);
  await Promise.all(running);
});

it('runs nothing at the same time that needs the same, and nothing overtakes what waits for it', async () => {
  const { begun, work, end } = workshop();
  const queue = new FairQueue({ atOnce: 3, maxWaiting: 10 });
  const run = (name: string, ...needs: string[]) => queue.run(name[0]!, undefined, work(name), needs);
  const running = [run('a1', 'x'), run('a2', 'x', 'y'), run('a3', 'y'), run('a4', 'z'), run('b1', 'x')];
  await new Promise((resolve) => setImmediate(resolve));
  expect(begun).toEqual(['a1', 'a4']);
  await end('a1');
  expect(begun).toEqual(['a1', 'a4', 'a2']);
  await end('a2');
  expect(begun).toEqual(['a1', 'a4', 'a2', 'b1', 'a3']);
  for (const name of ['b1', 'a3', 'a4']) await end(name);
  await Promise.all(running);
});

it('lets parties take turns, however many tasks each has, also one that comes later', async () => {
  const { begun, work, end } = workshop();
  const queue = new FairQueue({ atOnce: 1, maxWaiting: 10 });
  const run = (...names: string[]) => names.map((name) => queue.run(name[0]!, undefined, work(name)));
  const running = run('a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1');
  await new Promise((resolve) => setImmediate(resolve));
  for (const name of ['a1', 'a2', 'b1', 'c1']) await end(name);
  running.push(...run('d1'));
  for (const name of ['a3', 'b2', 'a4', 'd1']) await end(name);
  await Promise.all(running);
  expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4', 'd1']);
});

it('leaves the others in order when one gives up, and forgets a party without tasks', async () => {
  const { begun, work, end } = workshop();
  const queue = new FairQueue({ atOnce: 1, maxWaiting: 10 });
  const [caller, other] = [new AbortController(), new AbortController()];
  const first = queue.run('a', undefined, work('a1'));
  const given = [
    queue.run('a', caller.signal, work('a2')).catch(() => {}),
    queue.run('b', other.signal, work('b1')).catch(() => {}),
  ];
  const rest = [queue.run('a', undefined, work('a3')), queue.run('c', undefined, work('c1'))];
  caller.abort();
  other.abort();
  await Promise.all(given);
  for (const name of ['a1', 'a3', 'c1']) await end(name);
  await Promise.all([first, ...rest]);
  expect(begun).toEqual(['a1', 'a3', 'c1']);
});
