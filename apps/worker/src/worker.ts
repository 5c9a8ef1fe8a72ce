import { once } from 'node:events';
import { createServer } from 'node:http';
import { agedAccess } from '@lockstep/access';
import { type DeploymentConfig, explainListenFault, RELEASE } from '@lockstep/config';
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
  Cleanup,
  type Closable,
  closeAll,
  type Database,
  type Logger,
  type Metrics,
  openConsumer,
  openDatabase,
  type QueueBackend,
  type ReadinessCheck,
  registerCleanupGauge,
  SchemaWatch,
} from '@lockstep/platform';
import { agedWebhooks, registerWebhookGauges, Sender, WebhookDeliverer, webhookMetricsOf } from '@lockstep/webhooks';

/** Concurrent jobs. A job only rings. */
const JOBS_AT_ONCE = 50;
const SWEEP_EVERY_MS = 1_000;
const CLEANUP_EVERY_MS = 10_000;

/**
 * Connections that a worker needs besides those of its drains: for the sweep, cleanup, completion of batches, events,
 * metrics, and two for webhooks.
 */
const SPARE_CONNECTIONS = 7;

/**
 * How long a worker waits for a lock: longer than calls and drains hold one. After that, the worker reports a stall. It
 * waits longer for lanes.
 */
const LOCK_TIMEOUT_MS = 30_000;

/** The drains need more connections than a small DATABASE_POOL. Without WORKER_PORT, the worker does not listen. */
interface WorkerOptions extends DeploymentConfig {
  queue: QueueBackend;
  log: Logger;
  metrics: OrderMetrics;
}

export interface RunningWorker extends Closable {
  /** Checks for readiness; each returns the reason if the worker is not ready. */
  readiness: readonly ReadinessCheck[];
  /** Why this worker cannot apply orders; null if it can. */
  stalledBy(): string | null;
  /** Resolves when the database is reachable and has the schema of this release. */
  untilReady(): Promise<void>;
}

/**
 * Starts a worker, which begins to work when the database has all migrations of this release. Closing finishes what is
 * in flight and closes the pool. @throws Error if the probe cannot listen; the pool is then closed
 */
export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  const { queue, log, metrics, HOST, WORKER_PORT } = options;
  const db = openDatabase({
    url: options.DATABASE_URL,
    poolSize: Math.max(options.DATABASE_POOL, options.WORKER_DRAINS + SPARE_CONNECTIONS),
    applicationName: WORKER_NAME,
    lockTimeoutMs: LOCK_TIMEOUT_MS,
    onError: (error) => log.warn({ err: error }, 'database connection failed'),
  });
  const days = { failedOrderDays: options.FAILED_ORDER_DAYS, eventDays: options.EVENT_DAYS };
  const aged = [...agedAccess, ...agedOperators, ...agedOrders(days), ...agedWebhooks(days)];
  registerCleanupGauge(metrics.registry, db, aged);
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
      // First, so that it takes no new work.
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
    if (WORKER_PORT !== undefined) {
      registerBacklogGauges(metrics.registry, db, new ChannelReader(db));
      registerWebhookGauges(metrics.registry, db);
      served = await startProbe(readiness, metrics, HOST, WORKER_PORT);
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { readiness, stalledBy, untilReady: () => schema.untilCurrent(), close };
}

/** Starts processing jobs, sweeping, delivering to webhooks and cleaning up. Closing finishes what is in flight. */
function startWork(
  db: Database,
  aged: readonly Aged[],
  { queue, log, metrics, WORKER_DRAINS: drains, WEBHOOK_ALLOW_PRIVATE: allowPrivate }: WorkerOptions,
) {
  const deliverer = new WebhookDeliverer({
    db,
    log,
    metrics: webhookMetricsOf(metrics.registry),
    sender: new Sender({ allowPrivate }),
  });
  const numbering = new EventNumbering({ db, log, onNumbered: (ids) => deliverer.eventsNumbered(ids) });
  const worker = new OrderWorker({ db, log, metrics, numbering, drains });
  const consumer = openConsumer<unknown>(queue, QUEUE_NAME, {
    concurrency: JOBS_AT_ONCE,
    log,
    process: async () => worker.takeJob(),
  });
  const sweep = every(SWEEP_EVERY_MS, () => worker.sweep(), log, 0);
  const stop = new AbortController();
  const cleanup = new Cleanup({ db, log, registry: metrics.registry, aged });
  const cleaning = every(CLEANUP_EVERY_MS, () => cleanup.run(stop.signal), log);
  return {
    stalledBy: () => worker.stalledBy,
    close: () => {
      stop.abort();
      return closeAll({
        // Closes the consumer first, so that it does not take back the jobs that it returns to the queue.
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

/** Runs a task after `firstAfterMs`, then each time `intervalMs` after it has ended, until closed. Logs failures. */
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

/**
 * Serves /health/live, /health/ready and /metrics of a worker (rules 9). The worker is ready if every check returns
 * null. Each request runs the checks, so they must be cheap.
 */
async function startProbe(
  checks: readonly ReadinessCheck[],
  metrics: Metrics,
  host: string,
  port: number,
): Promise<Closable> {
  const server = createServer((request, response) => {
    answer(request.url ?? '', checks, metrics).then(
      ({ status, type, body }) => response.writeHead(status, { 'content-type': type }).end(body),
      () => response.writeHead(503).end(),
    );
  });
  server.listen(port, host);
  await once(server, 'listening').catch((error: unknown) => {
    throw explainListenFault(error, host, port, 'WORKER_PORT');
  });
  return {
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function answer(url: string, checks: readonly ReadinessCheck[], metrics: Metrics) {
  const json = 'application/json';
  switch (url) {
    case '/health/live':
      return { status: 200, type: json, body: '{"status":"live"}' };
    case '/health/ready': {
      const reasons = (await Promise.all(checks.map((check) => check()))).filter((reason) => reason !== null);
      if (reasons.length === 0) return { status: 200, type: json, body: '{"status":"ready"}' };
      return { status: 503, type: json, body: JSON.stringify({ status: 'unavailable', reason: reasons.join('; ') }) };
    }
    case '/metrics':
      return { status: 200, type: metrics.registry.contentType, body: await metrics.read() };
    default:
      return { status: 404, type: json, body: '{"status":"not found"}' };
  }
}
