import { expect, it } from 'vitest';
import { decideConsequence } from './attempts.ts';

const ok = { status: 204, fault: null };
const failed = { status: 500, fault: 'answered 500' };
const gone = { status: 410, fault: 'answered 410: the endpoint is gone' };

it.each<
  [what: string, outcome: typeof ok | typeof failed, attempts: number, isTest: boolean, ...consequence: unknown[]]
>([
  ['is delivered', ok, 1, false, true, null, null],
  ['is retried', failed, 1, false, false, 5_000, null],
  ['fails the tenth time', failed, 10, false, false, null, 'attempts_exhausted'],
  ['is gone', gone, 1, false, false, null, 'endpoint_gone'],
  ['is delivered the tenth time', ok, 10, false, true, null, null],
  ['is a test that fails', failed, 1, true, false, null, null],
  ['is gone for a test', gone, 1, true, false, null, 'endpoint_gone'],
])('what %s', (_, outcome, attempts, isTest, isDelivered, pauseMs, disabledCause) => {
  const delivery = { attempts, isTest };
  const consequence = { isDelivered, pauseMs, disabledCause };
  expect(decideConsequence(outcome, delivery, 0)).toEqual(consequence);
});
