import type { HealthCheck, HealthCheckId } from '@lockstep/contract/console';
import type { Stuck, WaitingWork } from '@lockstep/orders/operator';
import type { CleanUpBehind, QueueBackend, Sessions } from '@lockstep/platform';
import type { WebhookTroubles } from '@lockstep/webhooks/operator';

// When what an operator should look at is not well: a pure rule of what was read. docs/console.md says the same in
// words.

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/** An order that waits longer is worth a look; one that waits this long is a fault. Drains take less than a second. */
const PENDING_WARNING_MS = 30 * SECOND_MS;
const PENDING_ERROR_MS = 5 * MINUTE_MS;
/** Workers give events their places and add activity up each second. */
const WORK_WARNING_MS = 15 * SECOND_MS;
const WEBHOOK_LAG_MS = MINUTE_MS;
const CLEAN_UP_BEHIND_MS = 10 * MINUTE_MS;
/**
 * Nothing of the service takes longer than some minutes; while a transaction is open, PostgreSQL keeps what it might
 * see.
 */
const TRANSACTION_MS = 30 * MINUTE_MS;
const MOST_CONNECTIONS = 0.9;

/** What was read to judge the service. Null: it could not be read. */
export interface HealthFacts {
  /** The time at which it was read, by the database's clock. */
  time: number;
  /** Connections of workers are `named`. */
  sessions: Sessions;
  queue: { kind: QueueBackend['kind']; isReachable: boolean };
  oldestPendingTime: number | null;
  stuck: Stuck;
  work: WaitingWork;
  webhooks: Pick<WebhookTroubles, 'disabled' | 'disabledSinceTime' | 'failing' | 'failingSinceTime' | 'lagSeconds'>;
  cleanUp: readonly CleanUpBehind[];
}

/** Judges each thing that an operator should know of, in the contract's order. */
export function judgeHealth(facts: HealthFacts): HealthCheck[] {
  const { time, sessions, queue, oldestPendingTime, stuck, work, webhooks } = facts;
  const ageMs = (since: number | null) => (since === null ? 0 : time - since);
  const late = (since: number | null, limitMs: number) => (ageMs(since) >= limitMs ? 'warning' : 'ok');
  const hasWorkers = sessions.named > 0;
  const behind = facts.cleanUp.filter(({ seconds }) => seconds * SECOND_MS >= CLEAN_UP_BEHIND_MS);
  const lagMs = webhooks.lagSeconds * SECOND_MS;
  return [
    judged('database', 'ok'),
    judged('workers', hasWorkers ? 'ok' : 'error'),
    judged('queue', queue.isReachable ? 'ok' : 'warning', { names: [queue.kind] }),
    judged(
      'pending_orders',
      ageMs(oldestPendingTime) >= PENDING_ERROR_MS ? 'error' : late(oldestPendingTime, PENDING_WARNING_MS),
      {
        sinceTime: oldestPendingTime,
      },
    ),
    judged('stalled_lanes', stuck.stalledLanes > 0 ? 'error' : 'ok', {
      sinceTime: stuck.stalledSinceTime,
      count: stuck.stalledLanes,
    }),
    judged('held_customers', stuck.heldCustomers > 0 ? 'warning' : 'ok', {
      sinceTime: stuck.heldSinceTime,
      count: stuck.heldCustomers,
    }),
    judged('events', late(work.eventsSinceTime, WORK_WARNING_MS), { sinceTime: work.eventsSinceTime }),
    judged('activity', late(work.activitySinceTime, WORK_WARNING_MS), { sinceTime: work.activitySinceTime }),
    judged('webhooks_disabled', webhooks.disabled > 0 ? 'warning' : 'ok', {
      sinceTime: webhooks.disabledSinceTime,
      count: webhooks.disabled,
    }),
    judged('webhooks_failing', webhooks.failing > 0 ? 'warning' : 'ok', {
      sinceTime: webhooks.failingSinceTime,
      count: webhooks.failing,
    }),
    judged('webhooks_behind', lagMs >= WEBHOOK_LAG_MS ? 'warning' : 'ok', {
      sinceTime: lagMs > 0 ? Math.floor(time - lagMs) : null,
    }),
    judged('clean_up', behind.length > 0 ? 'warning' : 'ok', {
      sinceTime:
        behind.length > 0 ? Math.floor(time - Math.max(...behind.map(({ seconds }) => seconds)) * SECOND_MS) : null,
      count: behind.length,
      names: behind.map(({ kind }) => kind),
    }),
    judged('transactions', late(sessions.oldestTransactionTime, TRANSACTION_MS), {
      sinceTime: sessions.oldestTransactionTime,
    }),
    judged('connections', sessions.connections >= sessions.maxConnections * MOST_CONNECTIONS ? 'warning' : 'ok', {
      count: sessions.connections,
      names: [String(sessions.maxConnections)],
    }),
  ];
}

type Found = Partial<Pick<HealthCheck, 'sinceTime' | 'count' | 'names'>>;

/** Since when is told only of what is not well. */
function judged(check: HealthCheckId, state: HealthCheck['state'], found: Found = {}): HealthCheck {
  const { sinceTime = null, count = null, names = [] } = found;
  return { check, state, sinceTime: state === 'ok' ? null : sinceTime, count, names };
}
