import { createMetrics, type Metrics, SECONDS_BUCKETS } from '@lockstep/platform';
import { Counter, Histogram, type Registry } from 'prom-client';

const ORDERS = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000];

/** The metrics of a process, including those of orders. docs/runbooks/README.md explains each. */
export type OrderMetrics = Metrics & ReturnType<typeof registerOrderMetrics>;

/** Creates a process's metrics, including those of orders. Call it once per process. */
export function createOrderMetrics(): OrderMetrics {
  const metrics = createMetrics();
  return { ...metrics, ...registerOrderMetrics(metrics.registry) };
}

function registerOrderMetrics(registry: Registry) {
  const registers = [registry];
  const count = (name: string, help: string, ...labelNames: string[]) =>
    new Counter({ name, help, labelNames, registers });
  const measure = (name: string, help: string, buckets: number[]) => new Histogram({ name, help, buckets, registers });
  const unqueued = 'Jobs that could not be queued; the sweep finds their orders';
  return {
    ordersAccepted: count('lockstep_orders_accepted_total', 'Orders accepted'),
    ordersApplied: count('lockstep_orders_applied_total', 'Orders that succeeded or failed', 'outcome'),
    enqueueFailures: count('lockstep_enqueue_failures_total', unqueued),
    jobs: count('lockstep_jobs_total', 'Jobs that this worker took'),
    drainOrders: measure('lockstep_drain_orders', 'Orders applied by a drain', ORDERS),
    drainSeconds: measure('lockstep_drain_seconds', 'Duration of a drain', SECONDS_BUCKETS),
    drainFailures: count('lockstep_drain_failures_total', 'Drains that failed; each is retried'),
  };
}
