import { expect, it } from 'vitest';
import { FairTurns, type Owner } from './fair-turns.ts';

const anybody = () => true;

/** Takes items until none is left that may go. Returns them in that order. */
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

it('an owner that may not go keeps its turn, and delays nobody else', () => {
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
