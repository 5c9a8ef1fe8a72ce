import { addCounter, addHistogram, createMetrics, type Metrics, SECONDS_BUCKETS } from '@lockstep/platform';
import type { Registry } from 'prom-client';

const ORDERS = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000];

/** The metrics of a process, including those of orders. docs/runbooks/README.md explains each. */
export type OrderMetrics = Metrics & ReturnType<typeof registerOrderMetrics>;

/** Creates a process's metrics, including those of orders. Call it once per process. */
export function createOrderMetrics(): OrderMetrics {
  const metrics = createMetrics();
  return { ...metrics, ...registerOrderMetrics(metrics.registry) };
}

function registerOrderMetrics(registry: Registry) {
  const unqueued = 'Jobs that could not be queued; the sweep finds their orders';
  return {
    ordersAccepted: addCounter(registry, 'lockstep_orders_accepted_total', 'Orders accepted'),
    ordersApplied: addCounter(registry, 'lockstep_orders_applied_total', 'Orders by outcome', 'outcome'),
    enqueueFailures: addCounter(registry, 'lockstep_enqueue_failures_total', unqueued),
    jobs: addCounter(registry, 'lockstep_jobs_total', 'Jobs that this worker took'),
    drainOrders: addHistogram(registry, 'lockstep_drain_orders', 'Orders applied by a drain', ORDERS),
    drainSeconds: addHistogram(registry, 'lockstep_drain_seconds', 'Duration of a drain', SECONDS_BUCKETS),
    drainFailures: addCounter(registry, 'lockstep_drain_failures_total', 'Drains that failed; each is retried'),
  };
}
