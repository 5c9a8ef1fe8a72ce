import { createMetrics, type Database, type Metrics, SECONDS_BUCKETS } from '@lockstep/platform';
import { sql } from 'kysely';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { type ChannelReader, type ChannelState, shareFor } from './channels/state.ts';
import { IS_FAILING } from './lanes.ts';

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

/** How many channels have gauges of their own; all others share one. */
const MAX_CHANNELS = 50;
/** The label of the other channels. */
const OTHERS = '(others)';

/** Adds the gauges of the backlog to a process that serves its metrics. `channels`: the readings of that process. */
export function registerBacklogGauges(registry: Registry, db: Database, channels: ChannelReader): void {
  const registers = [registry];
  const read = () => channels.read().catch(() => undefined);
  const readShared = shareFor(1_000, () => readHoldsAndStalls(db));
  new Gauge({
    name: 'lockstep_channel_pending_orders',
    help: 'Pending orders by channel: the 50 channels with the most, and all others together',
    labelNames: ['channel'],
    registers,
    async collect() {
      this.reset();
      for (const { label, channels } of groupChannels((await read()) ?? [])) {
        this.set(
          { channel: label },
          channels.reduce((sum, { pending }) => sum + pending, 0),
        );
      }
    },
  });
  new Gauge({
    name: 'lockstep_channel_oldest_pending_seconds',
    help: 'Age of the oldest pending order by channel, as in lockstep_channel_pending_orders; excludes paused channels',
    labelNames: ['channel'],
    registers,
    async collect() {
      this.reset();
      for (const { label, channels } of groupChannels((await read()) ?? [])) {
        const seconds = oldestSeconds(channels);
        if (seconds > 0) this.set({ channel: label }, seconds);
      }
    },
  });
  new Gauge({
    name: 'lockstep_paused_channels',
    help: 'Channels that an operator has paused',
    registers,
    async collect() {
      const channels = await read();
      if (channels === undefined) this.remove();
      else this.set(channels.filter(({ pausedTime }) => pausedTime !== null).length);
    },
  });
  new Gauge({
    name: 'lockstep_held_customers',
    help: 'Customers with a held order; their later orders wait',
    registers,
    async collect() {
      const holdsAndStalls = await readShared().catch(() => undefined);
      if (holdsAndStalls === undefined) this.remove();
      else this.set(holdsAndStalls.heldCustomers);
    },
  });
  new Gauge({
    name: 'lockstep_stalled_lanes',
    help: 'Lanes whose drains have failed for five seconds; their orders wait',
    registers,
    async collect() {
      const holdsAndStalls = await readShared().catch(() => undefined);
      if (holdsAndStalls === undefined) this.remove();
      else this.set(holdsAndStalls.stalledLanes);
    },
  });
  new Gauge({
    name: 'lockstep_database_up',
    help: '1 if the database answered when the metrics were read, 0 if not',
    registers,
    async collect() {
      this.set((await read()) === undefined ? 0 : 1);
    },
  });
  new Gauge({
    name: 'lockstep_oldest_pending_order_seconds',
    help: 'Age of the oldest pending order, excluding held customers and paused channels',
    registers,
    async collect() {
      const channels = await read();
      if (channels === undefined) this.remove();
      else this.set(oldestSeconds(channels));
    },
  });
}

function groupChannels(all: readonly ChannelState[]): { label: string; channels: readonly ChannelState[] }[] {
  const sorted = all.filter(({ pending }) => pending > 0).sort((a, b) => b.pending - a.pending);
  const alone = sorted.slice(0, MAX_CHANNELS).map((channel) => ({ label: channel.code, channels: [channel] }));
  const others = sorted.slice(MAX_CHANNELS);
  return others.length === 0 ? alone : [...alone, { label: OTHERS, channels: others }];
}

function oldestSeconds(channels: readonly ChannelState[]): number {
  const ages = channels.map(({ pausedTime, oldestAcceptedTime, time }) =>
    pausedTime === null && oldestAcceptedTime !== null ? (time - oldestAcceptedTime) / 1_000 : 0,
  );
  return Math.max(0, ...ages);
}

/** How many customers are held and how many lanes are stalled, and since when, in milliseconds or null. */
export interface HoldsAndStalls {
  heldCustomers: number;
  heldSinceTime: number | null;
  stalledLanes: number;
  stalledSinceTime: number | null;
  /** The last error of the lane that has been stalled longest. */
  stalledBy: string | null;
}

/** Counts held customers, and stalled lanes: those whose drains have failed for five seconds. */
export async function readHoldsAndStalls(db: Database): Promise<HoldsAndStalls> {
  const { rows } = await sql<{ held: number; held_since: Date | null; lanes: number; since: Date | null; by: string }>`
    select held.*, stalled.* from (select count(*)::int as held, min(since) as held_since from order_hold) as held
    cross join (
      select count(*)::int as lanes, min(failing_since) as since,
        (array_agg(last_error order by failing_since, lane))[1] as by
      from lane where ${sql.raw(IS_FAILING)} and failing_since < statement_timestamp() - interval '5 s'
    ) as stalled`.execute(db);
  const { held, held_since, lanes, since, by } = rows[0]!;
  return {
    heldCustomers: held,
    heldSinceTime: held_since?.getTime() ?? null,
    stalledLanes: lanes,
    stalledSinceTime: since?.getTime() ?? null,
    stalledBy: by,
  };
}
