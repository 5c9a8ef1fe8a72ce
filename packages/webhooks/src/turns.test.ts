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
  expect(choose(of(1, 'trusted'), of(64, 'distrusted'))).toEqual([]);
  expect(listFree(of(64, 'trusted'))).toEqual([]);
});

it('leaves half of them to endpoints that neither fail nor are slow', () => {
  expect(choose(of(100, 'distrusted'), [])).toEqual(of(32, 'distrusted'));
  expect(listFree(of(32, 'distrusted'))).toEqual(['untried', 'trusted']);
  expect(choose([...of(50, 'distrusted'), 'trusted'], of(32, 'distrusted'))).toEqual(['trusted']);
});

it('leaves a quarter to endpoints that took their last message promptly', () => {
  expect(choose(of(100, 'untried'), of(32, 'distrusted'))).toEqual(of(16, 'untried'));
  expect(choose(of(100, 'untried'), [])).toEqual(of(48, 'untried'));
  expect(listFree(of(48, 'untried'))).toEqual(['trusted']);
  expect(choose(['distrusted', 'trusted'], of(48, 'untried'))).toEqual(['trusted']);
});

it('keeps the order of what is ready', () => {
  expect(choose(['untried', 'trusted', 'distrusted'], [])).toEqual(['untried', 'trusted', 'distrusted']);
});
