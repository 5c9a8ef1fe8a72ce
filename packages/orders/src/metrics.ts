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
  return {
    ordersAccepted: new Counter({ name: 'lockstep_orders_accepted_total', help: 'Orders accepted', registers }),
    ordersApplied: new Counter({
      name: 'lockstep_orders_applied_total',
      help: 'Orders that succeeded or failed',
      labelNames: ['outcome'],
      registers,
    }),
    enqueueFailures: new Counter({
      name: 'lockstep_enqueue_failures_total',
      help: 'Jobs that could not be queued; the sweep finds their orders',
      registers,
    }),
    jobs: new Counter({ name: 'lockstep_jobs_total', help: 'Jobs that this worker took', registers }),
    drainOrders: new Histogram({
      name: 'lockstep_drain_orders',
      help: 'Orders applied by a drain',
      buckets: ORDERS,
      registers,
    }),
    drainSeconds: new Histogram({
      name: 'lockstep_drain_seconds',
      help: 'Duration of a drain',
      buckets: SECONDS_BUCKETS,
      registers,
    }),
    drainFailures: new Counter({
      name: 'lockstep_drain_failures_total',
      help: 'Drains that failed; each is retried',
      registers,
    }),
  };
}
