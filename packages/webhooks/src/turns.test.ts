import type { ApplicationId } from '@lockstep/contract';
import { expect, it } from 'vitest';
import { AT_ONCE_OF_FAILING, chooseTurns, listExhausted, listFree, type Trust, type Turn } from './turns.ts';

const turn = (trust: Trust, applicationId = '1', isFailing = false): Turn => ({
  trust,
  applicationId: applicationId as ApplicationId,
  isFailing,
});
const of = (count: number, trust: Trust) => Array.from({ length: count }, () => turn(trust));
const choose = chooseTurns<Turn>;

it('sends 64 messages at once, no more', () => {
  expect(choose(of(100, 'trusted'), [])).toEqual(of(64, 'trusted'));
  expect(choose(of(100, 'trusted'), of(60, 'trusted'))).toEqual(of(4, 'trusted'));
  expect(choose(of(1, 'trusted'), of(64, 'distrusted'))).toEqual([]);
  expect(listFree(of(64, 'trusted'))).toEqual([]);
});

it('leaves half of them to endpoints that neither fail nor are slow', () => {
  expect(choose(of(100, 'distrusted'), [])).toEqual(of(32, 'distrusted'));
  expect(listFree(of(32, 'distrusted'))).toEqual(['untried', 'trusted']);
  expect(choose([...of(50, 'distrusted'), turn('trusted')], of(32, 'distrusted'))).toEqual(of(1, 'trusted'));
});

it('leaves a quarter to endpoints that took their last message promptly', () => {
  expect(choose(of(100, 'untried'), of(32, 'distrusted'))).toEqual(of(16, 'untried'));
  expect(choose(of(100, 'untried'), [])).toEqual(of(48, 'untried'));
  expect(listFree(of(48, 'untried'))).toEqual(['trusted']);
  expect(choose([turn('distrusted'), turn('trusted')], of(48, 'untried'))).toEqual(of(1, 'trusted'));
});

it('keeps the order of what is ready', () => {
  const ready = [turn('untried'), turn('trusted'), turn('distrusted')];
  expect(choose(ready, [])).toEqual(ready);
});

it('sends few messages at once to the endpoints of an application that fail', () => {
  const failing = Array.from({ length: 20 }, () => turn('distrusted', '1', true));
  expect(choose(failing, [])).toHaveLength(AT_ONCE_OF_FAILING);
  expect(listExhausted(failing.slice(0, AT_ONCE_OF_FAILING))).toEqual(['1']);
  const others = [turn('distrusted', '2', true), turn('distrusted'), turn('trusted')];
  expect(choose([...failing, ...others], failing.slice(0, AT_ONCE_OF_FAILING))).toEqual(others);
});
