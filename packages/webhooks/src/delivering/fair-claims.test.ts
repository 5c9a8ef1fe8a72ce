import type { ApplicationId, WebhookId } from '@lockstep/contract';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  AT_ONCE_OF_FAILING,
  chooseTurns,
  FIRST_OF_ENDPOINT,
  listExhausted,
  listFree,
  MORE_AT_ONCE,
  type Trust,
  type Turn,
} from './fair-claims.ts';

const turn = (trust: Trust, webhookId: number | string, applicationId = '1', isFailing = false): Turn => ({
  trust,
  webhookId: String(webhookId) as WebhookId,
  applicationId: applicationId as ApplicationId,
  isFailing,
});
const of = (count: number, trust: Trust) =>
  Array.from({ length: count }, (_, index) => turn(trust, `${trust}${index}`));
const forOne = (count: number, webhookId: string) => Array.from({ length: count }, () => turn('trusted', webhookId));
const choose = chooseTurns<Turn>;
const countOf = (turns: readonly Turn[], webhookId: string) =>
  turns.filter((each) => each.webhookId === webhookId).length;

it('sends a first message to at most 64 endpoints at once', () => {
  expect(choose(of(100, 'trusted'), [])).toEqual(of(64, 'trusted'));
  expect(choose(of(64, 'trusted').slice(60), of(60, 'trusted'))).toHaveLength(4);
  expect(choose([turn('trusted', 1)], of(64, 'distrusted'))).toEqual([]);
});

it('reserves half of them for endpoints that neither fail nor are slow', () => {
  expect(choose(of(100, 'distrusted'), [])).toEqual(of(32, 'distrusted'));
  expect(listFree(of(32, 'distrusted'))).toEqual(['untried', 'trusted']);
  const trusted = turn('trusted', 1);
  expect(choose([...of(50, 'distrusted').slice(32), trusted], of(32, 'distrusted'))).toEqual([trusted]);
});

it('reserves a quarter for endpoints that took their last message promptly', () => {
  expect(choose(of(100, 'untried'), of(32, 'distrusted'))).toEqual(of(16, 'untried'));
  expect(choose(of(100, 'untried'), [])).toEqual(of(48, 'untried'));
  expect(listFree(of(48, 'untried'))).toEqual(['trusted']);
  const [distrusted, trusted] = [turn('distrusted', 1), turn('trusted', 2)];
  expect(choose([distrusted, trusted], of(48, 'untried'))).toEqual([trusted]);
});

it('keeps the order of endpoints with equally many messages in flight', () => {
  const ready = [turn('untried', 1), turn('trusted', 2), turn('distrusted', 3)];
  expect(choose(ready, [])).toEqual(ready);
});

it('sends few messages at once to the failing endpoints of an application', () => {
  const failing = Array.from({ length: 20 }, (_, index) => turn('distrusted', `f${index}`, '1', true));
  expect(choose(failing, [])).toHaveLength(AT_ONCE_OF_FAILING);
  const running = failing.slice(0, AT_ONCE_OF_FAILING);
  expect(listExhausted(running)).toEqual(['1']);
  const others = [turn('distrusted', 1, '2', true), turn('distrusted', 2), turn('trusted', 3)];
  expect(choose([...failing.slice(AT_ONCE_OF_FAILING), ...others], running)).toEqual(others);
});

it('sends many messages at once to one endpoint, and still a first one to others', () => {
  const running = choose([...forOne(64, 'a'), ...forOne(64, 'b'), ...forOne(64, 'c')], []);
  expect(running).toHaveLength(MORE_AT_ONCE + 3 * FIRST_OF_ENDPOINT);
  expect(choose(forOne(64, 'd'), running)).toHaveLength(FIRST_OF_ENDPOINT);
  expect(listFree(running)).toContain('trusted');
});

it('gives endpoints even shares, and none more than it wants', () => {
  const wanted = fc.dictionary(fc.constantFrom(...'abcdefgh'), fc.nat(64));
  fc.assert(
    fc.property(wanted, wanted, (had, wants) => {
      const all = (counts: Record<string, number>) =>
        Object.entries(counts).flatMap(([id, count]) => forOne(count, id));
      const running = choose(all(had), []);
      const chosen = choose(all(wants), running);
      const total = [...running, ...chosen];
      for (const [id, wish] of Object.entries(wants)) {
        if (countOf(chosen, id) === wish) continue;
        // It wants more: then no endpoint that got a message has more than one beyond it.
        for (const other of Object.keys(wants)) {
          if (countOf(chosen, other) > 0) expect(countOf(total, other)).toBeLessThanOrEqual(countOf(total, id) + 1);
        }
        expect(countOf(total, id)).toBeGreaterThanOrEqual(FIRST_OF_ENDPOINT);
      }
      expect(total.length).toBeLessThanOrEqual(MORE_AT_ONCE + 8 * FIRST_OF_ENDPOINT);
    }),
  );
});
