import { expect, it } from 'vitest';
import { Overload } from './deadline.ts';
import { FairQueue, FairTurns, type Owner } from './fair-queue.ts';

const owner = (party: string) => ({ kind: 'change', party });

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

it('runs a limited number at once, fewer of one owner, and the rest in turn', async () => {
  const { begun, work, end } = workshop();
  const queue = new FairQueue({ atOnce: 3, atOnceOfOwner: 2, maxWaiting: () => 10 });
  const running = ['a1', 'a2', 'a3', 'b1', 'b2'].map((name) => queue.run(owner(name[0]!), undefined, work(name)));
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
  const queue = new FairQueue({ atOnce: 1, maxWaiting: () => 10 });
  const caller = new AbortController();
  const failing = queue.run(owner('a'), undefined, () => Promise.reject(new Error('failed')));
  const first = queue.run(owner('a'), caller.signal, work('first'));
  const given = queue.run(owner('a'), caller.signal, work('given up'));
  const last = queue.run(owner('a'), undefined, work('last'));
  await expect(failing).rejects.toThrow('failed');
  expect(begun).toEqual(['first']);
  caller.abort(new Overload('gone'));
  await expect(given).rejects.toThrow('gone');
  await expect(queue.run(owner('a'), caller.signal, work('too late'))).rejects.toThrow('gone');
  // Work that has started keeps its slot until it ends, even if its caller gives up.
  expect(begun).toEqual(['first']);
  await end('first');
  await end('last');
  expect(await Promise.all([first, last])).toEqual(['first', 'last']);
  expect(begun).toEqual(['first', 'last']);
});

it('lets a limited number of an owner wait, and refuses more as overload', async () => {
  const { work, end } = workshop();
  const queue = new FairQueue({ atOnce: 1, maxWaiting: ({ party }) => (party === 'a' ? 1 : 2) });
  const running = [queue.run(owner('a'), undefined, work('a1')), queue.run(owner('a'), undefined, work('a2'))];
  await expect(queue.run(owner('a'), undefined, work('a3'))).rejects.toBeInstanceOf(Overload);
  expect(() => queue.requireRoom(owner('b'), 3)).toThrow(Overload);
  queue.requireRoom(owner('b'), 2);
  await end('a1');
  running.push(queue.run(owner('a'), undefined, work('a3')));
  for (const name of ['a2', 'a3']) await end(name);
  await Promise.all(running);
});

it('runs nothing at the same time that needs the same, and nothing overtakes what waits for it', async () => {
  const { begun, work, end } = workshop();
  const queue = new FairQueue({ atOnce: 3, maxWaiting: () => 10 });
  const run = (name: string, ...needs: string[]) => queue.run(owner(name[0]!), undefined, work(name), needs);
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

it('gives a place to what enters until it leaves, once', async () => {
  const queue = new FairQueue({ atOnce: 1, maxWaiting: () => 10 });
  const leave = await queue.enter(owner('a'), undefined);
  const entered: string[] = [];
  const enter = async (name: string) => {
    await queue.enter(owner('a'), undefined);
    entered.push(name);
  };
  const [second] = [enter('second'), enter('third')];
  leave();
  leave();
  await second;
  await new Promise((resolve) => setImmediate(resolve));
  expect(entered).toEqual(['second']);
});

it('holds a place until the signal aborts, also one that aborts while it waits', async () => {
  const queue = new FairQueue({ atOnce: 1, maxWaiting: () => 10 });
  const [first, second, third] = [new AbortController(), new AbortController(), new AbortController()];
  await queue.hold(owner('a'), first.signal);
  const waiting = queue.hold(owner('a'), second.signal);
  second.abort(new Overload('gone'));
  await expect(waiting).rejects.toThrow('gone');
  const last = queue.hold(owner('a'), third.signal);
  first.abort();
  await last;
  third.abort();
  await queue.hold(owner('b'), new AbortController().signal);
});

const anybody = () => true;

/** Takes items until none is allowed to go. Returns them in that order. */
function takeAll(turns: FairTurns<string>, mayGo: (owner: Owner) => boolean = anybody): string[] {
  const taken: string[] = [];
  for (let next = turns.take(mayGo); next !== undefined; next = turns.take(mayGo)) taken.push(next.item);
  return taken;
}

function turnsOf(...waiting: [kind: string, party: string, ...items: string[]][]): FairTurns<string> {
  const turns = new FairTurns<string>();
  for (const [kind, party, ...items] of waiting) for (const item of items) turns.add({ kind, party }, item);
  return turns;
}

it('items of one party go in the order in which they came', () => {
  expect(takeAll(turnsOf(['login', 'a', '1', '2', '3']))).toEqual(['1', '2', '3']);
});

it('parties take turns, however many items each has', () => {
  const turns = turnsOf(['login', 'a', 'a1', 'a2', 'a3', 'a4'], ['login', 'b', 'b1', 'b2'], ['login', 'c', 'c1']);
  expect(takeAll(turns)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
});

it('kinds take turns, however many parties are in each', () => {
  const turns = turnsOf(
    ['login', 'a', 'a1', 'a2'],
    ['login', 'b', 'b1', 'b2'],
    ['login', 'c', 'c1'],
    ['reset', 'e', 'e1', 'e2', 'e3'],
  );
  expect(takeAll(turns)).toEqual(['a1', 'e1', 'b1', 'e2', 'c1', 'e3', 'a2', 'b2']);
});

it('a later party waits for one item of each other party at most', () => {
  const turns = turnsOf(['login', 'a', 'a1', 'a2', 'a3']);
  expect(turns.take(anybody)?.item).toBe('a1');
  turns.add({ kind: 'login', party: 'b' }, 'b1');
  expect(takeAll(turns)).toEqual(['a2', 'b1', 'a3']);
});

it('an owner that may not go keeps its turn, and delays no other', () => {
  const turns = turnsOf(['change', 'a', 'a1', 'a2'], ['change', 'b', 'b1', 'b2']);
  expect(takeAll(turns, ({ party }) => party === 'b')).toEqual(['b1', 'b2']);
  turns.add({ kind: 'change', party: 'b' }, 'b3');
  expect(takeAll(turns)).toEqual(['a1', 'b3', 'a2']);
});

it('removing an item leaves the others in order', () => {
  const owner = { kind: 'login', party: 'a' };
  const turns = turnsOf(['login', 'a', '1', '2', '3']);
  turns.remove(owner, '2');
  turns.remove(owner, 'never added');
  turns.remove({ kind: 'reset', party: 'a' }, '1');
  expect(turns.countWaiting(owner)).toBe(2);
  expect(takeAll(turns)).toEqual(['1', '3']);
  turns.add(owner, '4');
  turns.remove(owner, '4');
  expect(turns.countWaiting(owner)).toBe(0);
  expect(turns.take(anybody)).toBeUndefined();
});
