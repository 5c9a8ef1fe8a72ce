import { HealthCheckId } from '@lockstep/contract/console';
import { describe, expect, it } from 'vitest';
import { type HealthFacts, judgeHealth } from './health-rules.ts';

const TIME = Date.UTC(2026, 7, 1, 12);
const ago = (seconds: number) => TIME - seconds * 1_000;

/** The facts of a healthy service, with these changes. */
const facts = (changes: Partial<HealthFacts> = {}): HealthFacts => ({
  time: TIME,
  sessions: { named: 5, connections: 20, maxConnections: 100, oldestTransactionTime: ago(1) },
  queue: { kind: 'redis', isReachable: true },
  oldestPendingTime: ago(1),
  holdsAndStalls: { heldCustomers: 0, heldSinceTime: null, stalledLanes: 0, stalledSinceTime: null, stalledBy: null },
  work: { eventsSinceTime: ago(1), activitySinceTime: ago(1) },
  webhooks: { disabled: 0, disabledSinceTime: null, failing: 0, failingSinceTime: null, lagSeconds: 0 },
  cleanup: [{ kind: 'nonce', seconds: 9 }],
  ...changes,
});

/** The checks that fail. */
const findProblems = (changes: Partial<HealthFacts>) =>
  judgeHealth(facts(changes)).filter(({ state }) => state !== 'ok');

describe('a service', () => {
  it('passes all checks, in the order of the contract, when it is healthy', () => {
    const checks = judgeHealth(facts());
    expect(checks.map(({ check }) => check)).toEqual(HealthCheckId.options);
    expect(checks.every(({ state, sinceTime }) => state === 'ok' && sinceTime === null)).toBe(true);
  });

  it.each<[what: string, changes: Partial<HealthFacts>, expected: object]>([
    [
      'without a worker',
      { sessions: { named: 0, connections: 9, maxConnections: 100, oldestTransactionTime: null } },
      { check: 'workers', state: 'error' },
    ],
    [
      'whose queue is unreachable',
      { queue: { kind: 'redis', isReachable: false } },
      { check: 'queue', state: 'warning', names: ['redis'] },
    ],
    [
      'with stalled lanes',
      { holdsAndStalls: { ...facts().holdsAndStalls, stalledLanes: 2, stalledSinceTime: ago(9) } },
      { check: 'stalled_lanes', state: 'error', sinceTime: ago(9), count: 2 },
    ],
    [
      'with held customers',
      { holdsAndStalls: { ...facts().holdsAndStalls, heldCustomers: 3, heldSinceTime: ago(9) } },
      { check: 'held_customers', state: 'warning', sinceTime: ago(9), count: 3 },
    ],
    [
      'with an order that has been pending for half a minute',
      { oldestPendingTime: ago(30) },
      { check: 'pending_orders', state: 'warning', sinceTime: ago(30) },
    ],
    [
      'with an order that has been pending for five minutes',
      { oldestPendingTime: ago(300) },
      { check: 'pending_orders', state: 'error', sinceTime: ago(300) },
    ],
    [
      'whose events are not numbered',
      { work: { eventsSinceTime: ago(15), activitySinceTime: null } },
      { check: 'events', state: 'warning', sinceTime: ago(15) },
    ],
    [
      'whose activity is not summed',
      { work: { eventsSinceTime: null, activitySinceTime: ago(15) } },
      { check: 'activity', state: 'warning', sinceTime: ago(15) },
    ],
    [
      'with a disabled webhook',
      { webhooks: { ...facts().webhooks, disabled: 2, disabledSinceTime: ago(60) } },
      { check: 'webhooks_disabled', state: 'warning', count: 2, sinceTime: ago(60) },
    ],
    [
      'with a webhook that fails',
      { webhooks: { ...facts().webhooks, failing: 1, failingSinceTime: ago(60) } },
      { check: 'webhooks_failing', state: 'warning', count: 1, sinceTime: ago(60) },
    ],
    [
      'with an overdue message',
      { webhooks: { ...facts().webhooks, lagSeconds: 60 } },
      { check: 'webhooks_behind', state: 'warning', sinceTime: ago(60) },
    ],
    [
      'whose cleanup is behind',
      {
        cleanup: [
          { kind: 'nonce', seconds: 600 },
          { kind: 'event', seconds: 900 },
          { kind: 'webhook', seconds: 0 },
        ],
      },
      { check: 'clean_up', state: 'warning', count: 2, names: ['nonce', 'event'], sinceTime: ago(900) },
    ],
    [
      'with a transaction that is open for half an hour',
      { sessions: { ...facts().sessions, oldestTransactionTime: ago(1_800) } },
      { check: 'transactions', state: 'warning', sinceTime: ago(1_800) },
    ],
    [
      'with few connections left',
      { sessions: { ...facts().sessions, connections: 90 } },
      { check: 'connections', state: 'warning', count: 90, names: ['100'] },
    ],
  ])('%s fails its check', (_, changes, expected) => {
    expect(findProblems(changes)).toEqual([expect.objectContaining(expected)]);
  });
});
