import { z } from 'zod';
import { ConsoleChannel, OrderCounts } from './channels.ts';
import { consoleTable } from './operation.ts';

/** How far back the overview looks, and how long the pieces are in which it shows what was done. */
export const OVERVIEW_SPANS = {
  '1h': { seconds: 3_600, pieceSeconds: 30 },
  '6h': { seconds: 21_600, pieceSeconds: 180 },
  '24h': { seconds: 86_400, pieceSeconds: 600 },
  '7d': { seconds: 604_800, pieceSeconds: 3_600 },
  '14d': { seconds: 1_209_600, pieceSeconds: 7_200 },
} as const satisfies Record<string, { seconds: number; pieceSeconds: number }>;

export const OverviewSpan = z.enum(Object.keys(OVERVIEW_SPANS) as (keyof typeof OVERVIEW_SPANS)[]);
export type OverviewSpan = z.infer<typeof OverviewSpan>;

/** What the service looks at to say whether it is well, in the order in which it is shown. */
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

/** What one look found. The console says in its words what that means and what to do about it. */
export const HealthCheck = z.object({
  check: HealthCheckId,
  state: z.enum(['ok', 'warning', 'error']),
  /** Since when it is so, in milliseconds; null where that is not known. */
  sinceTime: z.number().nullable(),
  /** How many there are of what was looked at; null where that says nothing. */
  count: z.number().nullable(),
  /** What was looked at by name, such as the kinds of rows that are not cleaned up. */
  names: z.array(z.string()),
});
export type HealthCheck = z.infer<typeof HealthCheck>;

/** A webhook that is disabled, or whose last attempts failed. */
export const TroubledWebhook = z.object({
  webhookId: z.string(),
  url: z.string(),
  appKey: z.string(),
  applicationName: z.string(),
  state: z.enum(['failing', 'disabled']),
  sinceTime: z.number(),
  disabledCause: z.enum(['endpoint_gone', 'attempts_exhausted']).nullable(),
});
export type TroubledWebhook = z.infer<typeof TroubledWebhook>;

/** How the service does: all of it from what the database knows, so it is the same whichever process answers. */
export const Overview = z.object({
  /** When the database was asked, by its own clock: milliseconds. */
  time: z.number(),
  /** What was done in the last seconds. */
  now: OrderCounts.extend({ seconds: z.number() }),
  /** What was done in the span, piece by piece without gaps, the oldest first. The last piece is not over. */
  pieces: z.array(OrderCounts.extend({ startTime: z.number() })),
  pieceSeconds: z.number(),
  /** Why orders failed in the span, the most frequent cause first. */
  failures: z.array(z.object({ cause: z.string(), failed: z.number(), lastTime: z.number() })),
  backlog: z.object({
    pendingOrders: z.number(),
    oldest: z.object({ batchId: z.string(), acceptedTime: z.number() }).nullable(),
  }),
  /** Channels that are behind or paused: how many, and the first ten, those whose orders wait longest. */
  delayed: z.object({ behind: z.number(), paused: z.number(), first: z.array(ConsoleChannel) }),
  webhooks: z.object({ active: z.number(), disabled: z.number(), troubled: z.array(TroubledWebhook) }),
  checks: z.array(HealthCheck),
  /** What a newcomer needs to try the demo of `npm start`; null in a deployment. */
  demo: z.object({ appKey: z.string(), submitCommand: z.string() }).nullable(),
});
export type Overview = z.infer<typeof Overview>;

/** A job of the queue. It says which orders to look at; it holds none. */
export const QueueJob = z.object({
  jobId: z.string(),
  state: z.enum(['active', 'failed', 'delayed', 'waiting']),
  type: z.string(),
  /** The lanes that it asks to drain, and the last batch that it is for. */
  lanes: z.array(z.number()),
  throughBatchId: z.string().nullable(),
  /** How often a worker began it. */
  attempts: z.number(),
  /** The worker that has it, or had it last. */
  worker: z.string().nullable(),
  addedTime: z.number(),
  /** When a worker began it, it failed, or it will begin; null for one that waits. */
  stateTime: z.number().nullable(),
  failure: z.string().nullable(),
});
export type QueueJob = z.infer<typeof QueueJob>;

/** What is in the queue, and who listens. */
export const QueueState = z.object({
  kind: z.enum(['redis', 'postgres']),
  /** Null where the queue cannot be reached. */
  found: z
    .object({
      counts: z.object({ waiting: z.number(), active: z.number(), delayed: z.number(), failed: z.number() }),
      /**
       * The newest jobs of each state; of the delayed ones, those that begin first; of those that wait, those that wait
       * longest.
       */
      jobs: z.array(QueueJob),
      /** The names of the workers that listen; null where Redis does not let its clients be listed. */
      workers: z.array(z.string()).nullable(),
    })
    .nullable(),
});
export type QueueState = z.infer<typeof QueueState>;

/** How the service does, and its queue. */
export const overviewOperations = consoleTable({
  getOverview: {
    method: 'GET',
    path: '/overview',
    role: 'viewer',
    query: z.object({ span: OverviewSpan.default('6h') }),
    data: Overview,
    summary: 'What the service did, what waits, what failed and what is not well.',
  },
  getQueue: {
    method: 'GET',
    path: '/queue',
    role: 'viewer',
    data: QueueState,
    summary: 'The jobs of the queue, and the workers that listen.',
  },
});
