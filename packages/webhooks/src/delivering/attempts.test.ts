import { expect, it } from 'vitest';
import { decideConsequence } from './attempts.ts';

const ok = { status: 204, fault: null };
const failed = { status: 500, fault: 'answered 500' };
const gone = { status: 410, fault: 'answered 410: the endpoint is gone' };

it.each([
  ['is delivered', ok, { attempts: 1, isTest: false }, { isDelivered: true, pauseMs: null, disabledCause: null }],
  ['is retried', failed, { attempts: 1, isTest: false }, { isDelivered: false, pauseMs: 5_000, disabledCause: null }],
  [
    'fails the tenth time',
    failed,
    { attempts: 10, isTest: false },
    { isDelivered: false, pauseMs: null, disabledCause: 'attempts_exhausted' },
  ],
  [
    'is gone',
    gone,
    { attempts: 1, isTest: false },
    { isDelivered: false, pauseMs: null, disabledCause: 'endpoint_gone' },
  ],
  [
    'is delivered the tenth time',
    ok,
    { attempts: 10, isTest: false },
    { isDelivered: true, pauseMs: null, disabledCause: null },
  ],
  [
    'is a test that fails',
    failed,
    { attempts: 1, isTest: true },
    { isDelivered: false, pauseMs: null, disabledCause: null },
  ],
  [
    'is gone for a test',
    gone,
    { attempts: 1, isTest: true },
    { isDelivered: false, pauseMs: null, disabledCause: 'endpoint_gone' },
  ],
])('what %s', (_, outcome, delivery, consequence) => {
  expect(decideConsequence(outcome, delivery, 0)).toEqual(consequence);
});
