import { expect, it } from 'vitest';
import { chooseTurns, listFree, type Trust } from './turns.ts';

const of = (count: number, trust: Trust) => Array.from({ length: count }, () => trust);
const choose = (ready: readonly Trust[], running: readonly Trust[]) =>
  chooseTurns(
    ready.map((trust) => ({ trust })),
    running,
  ).map(({ trust }) => trust);

it('sends 64 messages at once, no more', () => {
  expect(choose(of(100, 'trusted'), [])).toEqual(of(64, 'trusted'));
  expect(choose(of(100, 'trusted'), of(60, 'trusted'))).toEqual(of(4, 'trusted'));
  expect(choose(of(1, 'trusted'), of(64, 'failing'))).toEqual([]);
  expect(listFree(of(64, 'trusted'))).toEqual([]);
});

it('leaves half of them to endpoints that do not fail', () => {
  expect(choose(of(100, 'failing'), [])).toEqual(of(32, 'failing'));
  expect(listFree(of(32, 'failing'))).toEqual(['untried', 'trusted']);
  expect(choose([...of(50, 'failing'), 'trusted'], of(32, 'failing'))).toEqual(['trusted']);
});

it('leaves a quarter to endpoints whose last message arrived', () => {
  expect(choose(of(100, 'untried'), of(32, 'failing'))).toEqual(of(16, 'untried'));
  expect(choose(of(100, 'untried'), [])).toEqual(of(48, 'untried'));
  expect(listFree(of(48, 'untried'))).toEqual(['trusted']);
  expect(choose(['failing', 'trusted'], of(48, 'untried'))).toEqual(['trusted']);
});

it('keeps the order of what is ready', () => {
  expect(choose(['untried', 'trusted', 'failing'], [])).toEqual(['untried', 'trusted', 'failing']);
});
