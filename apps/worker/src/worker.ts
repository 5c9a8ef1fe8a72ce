import { agedAccess } from '@lockstep/access';
import { RELEASE } from '@lockstep/config';
import { agedOperators } from '@lockstep/operators';
import {
  agedOrders,
  ChannelReader,
  EventNumbering,
  type OrderMetrics,
  OrderWorker,
  QUEUE_NAME,
  registerBacklogGauges,
  WORKER_NAME,
} from '@lockstep/orders';
import {
  type Aged,
  assertRedisKeepsJobs,
  CleanUp,
  type Closable,
  closeAll,
  type Database,
  type Logger,
  openConsumer,
  openDatabase,
  type QueueBackend,
  type ReadinessCheck,
  registerCleanUpGauge,
  SchemaWatch,
} from '@lockstep/platform';
import { agedWebhooks, registerWebhookGauges, Sender, WebhookDeliverer, webhookMetricsOf } from '@lockstep/webhooks';
import { startProbe } from './probe.ts';

/** Jobs in progress at once. A job only waits for drains, which have a limit of their own. */
const JOBS_AT_ONCE = 50;
const SWEEP_EVERY_MS = 1_000;
const CLEAN_UP_EVERY_MS = 10_000;
/** What the names of the metrics begin with. */
const METRIC_PREFIX = 'lockstep';

/**
 * Connections that a worker needs beside those of its drains: for the sweep, the clean-up, the ends of batches, their
 * events and metrics, and two for webhooks.
 */
const SPARE_CONNECTIONS = 7;

/**
 * How long a worker waits for a lock: longer than calls and drains hold theirs. Whoever holds one for longer hangs, and
 * the worker reports why orders wait. For its lanes it waits longer.
 */
const LOCK_TIMEOUT_MS = 30_000;

interface WorkerOptions {
  databaseUrl: string;
  /** Connections to the database, if that is more than the drains need. */
  poolSize?: number;
  queue: QueueBackend;
  log: Logger;
  metrics: OrderMetrics;
  /** Drains that run at once. */
  drains: number;
  /** Whether webhooks may be at any address (config.WEBHOOK_ALLOW_PRIVATE). */
  webhookAllowPrivate: boolean;
  /** For how many days it keeps what failed orders held, and events (config). */
  failedOrderDays: number;
  eventDays: number;
  /** Where it serves its health and its metrics; nowhere if absent. */
  probe?: { host: string; port: number } | undefined;
}

export interface RunningWorker extends Closable {
  /** What to ask whether it can be expected to work; each check returns the reason why not. */
  readiness: readonly ReadinessCheck[];
  /** Why orders wait that it should have applied; null when none does. */
  stalledBy(): string | null;
  /** Resolves when it works: the database answers, and has the schema of this release. */
  untilReady(): Promise<void>;
}

/**
 * Opens a pool, and works while the database has all migrations of this release: it waits until they have run. Closing
 * finishes what runs and closes the pool.
 * @throws Error when Redis may evict jobs, or the probe cannot listen; the pool is closed then, too
 */
export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  const { databaseUrl, queue, log, metrics, drains, probe } = options;
  if (queue.kind === 'redis') await assertRedisKeepsJobs(queue.url, log);
  const db = openDatabase({
    url: databaseUrl,
    poolSize: Math.max(options.poolSize ?? 0, drains + SPARE_CONNECTIONS),
    applicationName: WORKER_NAME,
    lockTimeoutMs: LOCK_TIMEOUT_MS,
    onError: (error) => log.warn({ err: error }, 'database connection failed'),
  });
  const aged = [...agedAccess, ...agedOperators, ...agedOrders(options), ...agedWebhooks(options)];
  registerCleanUpGauge(metrics.registry, METRIC_PREFIX, db, aged);
  const schema = new SchemaWatch({ db, release: RELEASE, queue, log });
  let work: ReturnType<typeof startWork> | undefined;
  let isClosed = false;
  void schema.untilCurrent().then(() => {
    if (!isClosed) work = startWork(db, aged, options);
  });
  const stalledBy = () => work?.stalledBy() ?? null;
  const readiness = [async () => (await schema.health()).reason, async () => stalledBy()];
  let served: Closable | undefined;
  const close = () => {
    isClosed = true;
    return closeAll({
      // First, and at once: it takes nothing new from now on.
      work: async () => {
        const ended = work;
        work = undefined;
        await ended?.close();
      },
      schema: () => schema.close(),
      probe: async () => served?.close(),
      database: () => db.destroy(),
    });
  };
  try {
    if (probe !== undefined) {
      registerBacklogGauges(metrics.registry, db, new ChannelReader(db));
      registerWebhookGauges(metrics.registry, db);
      served = await startProbe(readiness, metrics, probe.host, probe.port);
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { readiness, stalledBy, untilReady: () => schema.untilCurrent(), close };
}

/**
 * Starts to process jobs, to sweep, to deliver to webhooks, and to delete what is too old. Closing finishes what runs.
 */
function startWork(
  db: Database,
  aged: readonly Aged[],
  { queue, log, metrics, drains, webhookAllowPrivate }: WorkerOptions,
) {
  const deliverer = new WebhookDeliverer({
    db,
    log,
    metrics: webhookMetricsOf(metrics.registry),
    sender: new Sender({ allowPrivate: webhookAllowPrivate }),
  });
  const numbering = new EventNumbering({ db, log, onNumbered: (ids) => deliverer.eventsNumbered(ids) });
  const worker = new OrderWorker({ db, log, metrics, numbering, drains });
  const consumer = openConsumer<unknown>(queue, QUEUE_NAME, {
    concurrency: JOBS_AT_ONCE,
    log,
    process: (data) => worker.process(data),
  });
  const sweep = every(SWEEP_EVERY_MS, () => worker.sweep(), log, 0);
  const stop = new AbortController();
  const cleanUp = new CleanUp({ db, log, registry: metrics.registry, metricPrefix: METRIC_PREFIX, aged });
  const cleaning = every(CLEAN_UP_EVERY_MS, () => cleanUp.run(stop.signal), log);
  return {
    stalledBy: () => worker.stalledBy,
    close: () => {
      stop.abort();
      return closeAll({
        // The consumer closes first, so that it does not take again what it gives back.
        jobs: () => {
          const closed = consumer.close();
          worker.stop();
          return closed;
        },
        sweep: sweep.close,
        cleaning: cleaning.close,
        drains: () => worker.close(),
        events: () => numbering.settle(),
        webhooks: () => deliverer.close(),
      });
    },
  };
}

/**
 * Runs a task again and again, each time `intervalMs` after it ended, until closed; first after `firstAfterMs`. It logs
 * a failure and goes on.
 */
function every(intervalMs: number, task: () => Promise<void>, log: Logger, firstAfterMs = intervalMs): Closable {
  let timer: NodeJS.Timeout;
  let running = Promise.resolve();
  let closed = false;
  const schedule = (afterMs: number) => {
    timer = setTimeout(() => {
      running = task()
        .catch((error: unknown) => log.warn({ err: error }, 'periodic task failed; will retry'))
        .finally(() => {
          if (!closed) schedule(intervalMs);
        });
    }, afterMs);
  };
  schedule(firstAfterMs);
  return {
    async close() {
      closed = true;
      clearTimeout(timer);
      await running;
    },
  };
}
