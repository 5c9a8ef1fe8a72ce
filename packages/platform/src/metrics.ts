import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const ORDERS = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000];

/** How long the metrics of one scrape are good for others. */
const SHARED_MS = 1_000;

/** How deep each lane is and how old its oldest pending order, as the database knows it. */
export interface Backlog {
  lanes: { lane: number; pendingOrders: number }[];
  oldestPendingSeconds: number;
}

/** A process's metrics in one registry of its own; docs/operations.md says what each is for. */
export function createMetrics(readBacklog: () => Promise<Backlog>) {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  // The gauges of one scrape share one look at the database.
  let looking: Promise<Backlog | undefined> | undefined;
  const look = () => {
    looking ??= readBacklog()
      .catch(() => undefined)
      .finally(() => {
        looking = undefined;
      });
    return looking;
  };
  const laneDepth = new Gauge({
    name: 'lockstep_lane_pending_orders',
    help: 'Accepted orders that have not taken effect, by lane; a lane without any is absent',
    labelNames: ['lane'],
    registers,
    async collect() {
      const backlog = await look();
      this.reset();
      for (const { lane, pendingOrders } of backlog?.lanes ?? []) this.set({ lane }, pendingOrders);
    },
  });
  const databaseUp = new Gauge({
    name: 'lockstep_database_up',
    help: 'Whether the database answered when the metrics were read',
    registers,
    async collect() {
      this.set((await look()) === undefined ? 0 : 1);
    },
  });
  const oldestPending = new Gauge({
    name: 'lockstep_oldest_pending_order_seconds',
    help: 'Age of the oldest accepted order that has not taken effect',
    registers,
    async collect() {
      const backlog = await look();
      if (backlog === undefined) this.remove();
      else this.set(backlog.oldestPendingSeconds);
    },
  });
  let shared: Promise<string> | undefined;
  const forget = () => {
    shared = undefined;
  };
  return {
    registry,
    /** The metrics as text. They are made once a second at most: whoever asks in between gets the last ones. */
    read(): Promise<string> {
      if (shared === undefined) {
        shared = registry.metrics();
        shared.then(() => setTimeout(forget, SHARED_MS).unref(), forget);
      }
      return shared;
    },
    laneDepth,
    databaseUp,
    oldestPending,
    ordersAccepted: new Counter({ name: 'lockstep_orders_accepted_total', help: 'Orders accepted', registers }),
    ordersApplied: new Counter({
      name: 'lockstep_orders_applied_total',
      help: 'Orders that took effect or failed',
      labelNames: ['outcome'],
      registers,
    }),
    enqueueFailures: new Counter({
      name: 'lockstep_enqueue_failures_total',
      help: 'Jobs that could not be queued; the sweep makes up for them',
      registers,
    }),
    sweptLanes: new Counter({
      name: 'lockstep_swept_lanes_total',
      help: 'Lanes that the sweep found with orders no job was working on',
      registers,
    }),
    drainOrders: new Histogram({
      name: 'lockstep_drain_orders',
      help: 'Orders that one drain applied',
      buckets: ORDERS,
      registers,
    }),
    drainSeconds: new Histogram({
      name: 'lockstep_drain_seconds',
      help: 'Time of one drain',
      buckets: SECONDS,
      registers,
    }),
    drainFailures: new Counter({
      name: 'lockstep_drain_failures_total',
      help: 'Drains that failed and run again',
      registers,
    }),
    stalledLanes: new Gauge({
      name: 'lockstep_stalled_lanes',
      help: 'Lanes whose orders this process cannot apply, for a fault around the service',
      registers,
    }),
    heldCustomers: new Gauge({
      name: 'lockstep_held_customers',
      help: 'Customers whose orders wait for one that this process cannot apply although the service works',
      registers,
    }),
    httpSeconds: new Histogram({
      name: 'lockstep_http_request_seconds',
      help: 'Time of HTTP calls, by route and business code',
      labelNames: ['method', 'route', 'code'],
      buckets: SECONDS,
      registers,
    }),
    httpUnanswered: new Counter({
      name: 'lockstep_http_unanswered_total',
      help: 'HTTP calls whose client had left before the answer was out; what they did stands',
      labelNames: ['method', 'route', 'code'],
      registers,
    }),
    httpConnectionsRefused: new Counter({
      name: 'lockstep_http_connections_refused_total',
      help: 'Connections closed at once because too many were open',
      registers,
    }),
  };
}

export type Metrics = ReturnType<typeof createMetrics>;
