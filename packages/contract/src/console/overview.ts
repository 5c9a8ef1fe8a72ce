import { z } from 'zod';
import { Sender } from './batches.ts';
import { ConsoleChannel, OrderCounts } from './channels.ts';
import { type ConsoleOperation, get } from './operation.ts';

/** The periods that the overview can show, and the intervals into which it divides them. */
export const OVERVIEW_SPANS = {
  '1h': { seconds: 3_600, intervalSeconds: 30 },
  '6h': { seconds: 21_600, intervalSeconds: 180 },
  '24h': { seconds: 86_400, intervalSeconds: 600 },
  '7d': { seconds: 604_800, intervalSeconds: 3_600 },
  '14d': { seconds: 1_209_600, intervalSeconds: 7_200 },
} as const satisfies Record<string, { seconds: number; intervalSeconds: number }>;

export const OverviewSpan = z.enum(Object.keys(OVERVIEW_SPANS) as (keyof typeof OVERVIEW_SPANS)[]);
export type OverviewSpan = z.infer<typeof OverviewSpan>;

/** The health checks, in the order in which they are shown. */
export const HealthCheckId = z.enum([
  'database',
  'workers',
  'queue',
  'pending_orders',
  'stalled_lanes',
  'held_customers',
  'events',
  'activity',
  'webhooks_disabled',
  'webhooks_failing',
  'webhooks_behind',
  'clean_up',
  'transactions',
  'connections',
]);
export type HealthCheckId = z.infer<typeof HealthCheckId>;

/** The result of a health check. The console explains it and says what to do. */
export const HealthCheck = z.object({
  check: HealthCheckId,
  state: z.enum(['ok', 'warning', 'error']),
  sinceTime: z.number().nullable().describe('Since when it has this state, in milliseconds; null if unknown.'),
  count: z.number().nullable().describe('How many things were found; null if a count means nothing.'),
  /** The names of what was found, such as the kinds of rows that are not cleaned up. */
  names: z.array(z.string()),
});
export type HealthCheck = z.infer<typeof HealthCheck>;

export const UnhealthyWebhook = z.object({
  webhookId: z.string(),
  url: z.string(),
  ...Sender.shape,
  state: z.enum(['failing', 'disabled']),
  sinceTime: z.number(),
  disabledCause: z.enum(['endpoint_gone', 'attempts_exhausted']).nullable(),
});
export type UnhealthyWebhook = z.infer<typeof UnhealthyWebhook>;

/** Activity, backlog and health. All of it comes from the database, so every process gives the same answer. */
export const Overview = z.object({
  time: z.number().describe('The time of the database, in milliseconds.'),
  now: OrderCounts.extend({ seconds: z.number() }).describe('Activity of the last seconds.'),
  /** Activity in consecutive intervals, oldest first. The last one is incomplete. */
  intervals: z.array(
    OrderCounts.extend({
      startTime: z.number(),
      /** Orders without an outcome at its end, also held ones and those of paused channels. */
      pending: z.number(),
    }),
  ),
  intervalSeconds: z.number(),
  /** Causes of failed orders, the most frequent first. */
  failures: z.array(z.object({ cause: z.string(), failed: z.number(), lastTime: z.number() })),
  /** The channels of failed orders, the most frequent ten first, as of the latest 5,000 of the period. */
  failedChannels: z.array(z.object({ channelCode: z.string(), failed: z.number() })),
  /** The orders without an outcome, each counted once, as of the moment of `delayed` and the checks. */
  backlog: z.object({
    pendingOrders: z.number().describe('Orders that are neither held nor in a paused channel.'),
    pausedOrders: z.number().describe('Orders of paused channels that are not held.'),
    heldOrders: z.number(),
    /** The oldest batch with one of `pendingOrders`; null if there is none. */
    oldest: z.object({ batchId: z.string(), acceptedTime: z.number() }).nullable(),
  }),
  /** Number of channels in each state but `current`, and the ten whose orders are oldest. */
  delayed: z.object({ holding: z.number(), behind: z.number(), paused: z.number(), first: z.array(ConsoleChannel) }),
  webhooks: z.object({ active: z.number(), disabled: z.number(), unhealthy: z.array(UnhealthyWebhook) }),
  checks: z.array(HealthCheck),
  /** What a newcomer needs to try the demo of `npm start`; null in a deployment. */
  demo: z.object({ appKey: z.string(), submitCommand: z.string() }).nullable(),
});
export type Overview = z.infer<typeof Overview>;

/** How many things need attention, each as on the page that lists it. */
export const Problems = z.object({
  checks: z.number().describe('Health checks of the overview that are not ok.'),
  channels: z.number().describe('Channels that are paused, behind or have held orders.'),
  heldOrders: z.number(),
  webhooks: z.number().describe('Failing and disabled webhooks.'),
});
export type Problems = z.infer<typeof Problems>;

/** A job of the queue. It names orders to apply but contains none. */
export const QueueJob = z.object({
  jobId: z.string(),
  state: z.enum(['active', 'failed', 'delayed', 'waiting']),
  type: z.string(),
  throughBatchId: z.string().nullable().describe('The last batch that the job covers.'),
  attempts: z.number().describe('How often a worker started it.'),
  worker: z.string().nullable().describe('The worker that runs it or ran it last.'),
  addedTime: z.number(),
  stateTime: z.number().nullable().describe('When it started, failed or will start; null while waiting.'),
  failure: z.string().nullable(),
});
export type QueueJob = z.infer<typeof QueueJob>;

export const QueueState = z.object({
  kind: z.enum(['redis', 'postgres']),
  /** Null if the queue is unreachable. */
  found: z
    .object({
      counts: z.object({ waiting: z.number(), active: z.number(), delayed: z.number(), failed: z.number() }),
      /** Some jobs of each state: the newest, but of delayed jobs the next, and of waiting jobs the oldest. */
      jobs: z.array(QueueJob),
      /** The connected workers; null if Redis does not allow listing its clients. */
      workers: z.array(z.string()).nullable(),
    })
    .nullable(),
});
export type QueueState = z.infer<typeof QueueState>;

export const overviewOperations = {
  getOverview: { ...get('/overview'), query: z.object({ span: OverviewSpan.default('6h') }), data: Overview },
  getProblems: { ...get('/problems'), data: Problems },
  getQueue: { ...get('/queue'), data: QueueState },
} satisfies Record<string, ConsoleOperation>;
