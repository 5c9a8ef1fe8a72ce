import type { HealthCheck, HealthCheckId } from '@lockstep/contract/console';
import { BEHIND_MS, type HoldsAndStalls, type WaitingWork } from '@lockstep/orders/operator';
import type { QueueBackend } from '@lockstep/platform';
import type { WebhookFaults } from '@lockstep/webhooks/operator';
import type { Sessions } from './sessions.ts';

// When a health check fails: a pure function of the facts. docs/console.md documents the same thresholds.

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/** If an order is pending for longer, it is an error; when a channel is behind, it is a warning. */
const PENDING_ERROR_MS = 5 * MINUTE_MS;
/** Workers number events and sum activity every second. */
const WORK_WARNING_MS = 15 * SECOND_MS;
const WEBHOOK_LAG_MS = MINUTE_MS;
const CLEANUP_BEHIND_MS = 10 * MINUTE_MS;
/**
 * No transaction of the service takes longer than a few minutes. An open transaction keeps PostgreSQL from removing old
 * row versions.
 */
const TRANSACTION_MS = 30 * MINUTE_MS;
const MOST_CONNECTIONS = 0.9;

/** The facts about the service. Null: could not be read. */
export interface HealthFacts {
  /** The time of reading, by the clock of the database. */
  time: number;
  /** `named` counts the connections of workers. */
  sessions: Sessions;
  queue: { kind: QueueBackend['kind']; isReachable: boolean };
  oldestPendingTime: number | null;
  holdsAndStalls: HoldsAndStalls;
  work: WaitingWork;
  webhooks: Pick<WebhookFaults, 'disabled' | 'disabledSinceTime' | 'failing' | 'failingSinceTime' | 'lagSeconds'>;
  /** For how long the oldest row of each kind is past its retention period. */
  cleanup: readonly { kind: string; seconds: number }[];
}

/** Returns the result of every health check, in the order of the contract. */
export function judgeHealth(facts: HealthFacts): HealthCheck[] {
  const { time, sessions, queue, oldestPendingTime, holdsAndStalls, work, webhooks } = facts;
  const ageMs = (since: number | null) => (since === null ? 0 : time - since);
  const late = (since: number | null, limitMs: number) => (ageMs(since) >= limitMs ? 'warning' : 'ok');
  const hasWorkers = sessions.named > 0;
  const behind = facts.cleanup.filter(({ seconds }) => seconds * SECOND_MS >= CLEANUP_BEHIND_MS);
  const lagMs = webhooks.lagSeconds * SECOND_MS;
  return [
    judged('database', 'ok'),
    judged('workers', hasWorkers ? 'ok' : 'error'),
    judged('queue', queue.isReachable ? 'ok' : 'warning', { names: [queue.kind] }),
    judged(
      'pending_orders',
      ageMs(oldestPendingTime) >= PENDING_ERROR_MS ? 'error' : late(oldestPendingTime, BEHIND_MS),
      { sinceTime: oldestPendingTime },
    ),
    counted('stalled_lanes', holdsAndStalls.stalledLanes, holdsAndStalls.stalledSinceTime, 'error'),
    counted('held_customers', holdsAndStalls.heldCustomers, holdsAndStalls.heldSinceTime),
    judged('events', late(work.eventsSinceTime, WORK_WARNING_MS), { sinceTime: work.eventsSinceTime }),
    judged('activity', late(work.activitySinceTime, WORK_WARNING_MS), { sinceTime: work.activitySinceTime }),
    counted('webhooks_disabled', webhooks.disabled, webhooks.disabledSinceTime),
    counted('webhooks_failing', webhooks.failing, webhooks.failingSinceTime),
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

/** A check that fails where something is counted. */
const counted = (check: HealthCheckId, count: number, sinceTime: number | null, bad: 'warning' | 'error' = 'warning') =>
  judged(check, count > 0 ? bad : 'ok', { sinceTime, count });

/** Only a failed check has a time since when. */
function judged(check: HealthCheckId, state: HealthCheck['state'], found: Found = {}): HealthCheck {
  const { sinceTime = null, count = null, names = [] } = found;
  return { check, state, sinceTime: state === 'ok' ? null : sinceTime, count, names };
}
