import { deleteExpiredAccess } from '@lockstep/access';
import { OrderWorker, QUEUE_NAME } from '@lockstep/orders';
import {
  assertRedisKeepsJobs,
  type Closable,
  closeAll,
  type Database,
  type Logger,
  type Metrics,
  openConsumer,
  type QueueBackend,
  type ReadinessCheck,
  SchemaWatch,
  whileCurrent,
} from '@lockstep/platform';
import { every } from './every.ts';

/** Jobs in progress at once. A job only waits for drains, which are bounded on their own. */
const JOBS_AT_ONCE = 50;
const SWEEP_EVERY_MS = 1_000;
const EXPIRE_EVERY_MS = 30_000;

/** Connections that a worker needs beside those of its drains: sweep, expiry, notifications, metrics. */
export const WORKER_SPARE_CONNECTIONS = 4;

/**
 * How long a worker waits for a lock: beyond what calls and drains hold theirs for. Past it somebody hangs, and it is told
 * why orders wait. For its lanes it waits longer.
 */
export const WORKER_LOCK_TIMEOUT_MS = 30_000;

interface WorkerOptions {
  db: Database;
  queue: QueueBackend;
  log: Logger;
  metrics: Metrics;
  drains: number;
}

export interface RunningWorker extends Closable {
  /** Why no work may be expected of it. */
  readiness: readonly ReadinessCheck[];
  /** Why orders wait that it should have applied; null where none does. */
  stalledBy(): string | null;
  /** Resolves once it works: the database is there, with the schema of this release. */
  untilReady(): Promise<void>;
}

/**
 * Works while the database has the schema of this release: waits until it has, and stops as soon as it is another one,
 * because what an older worker writes on a newer schema may be wrong. Closing finishes what runs.
 */
export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  const { queue, log } = options;
  if (queue.kind === 'redis') await assertRedisKeepsJobs(queue.url, log);
  const schema = new SchemaWatch(options);
  let stalledBy = (): string | null => null;
  const work = whileCurrent(schema, log, () => {
    const started = startWork(options);
    stalledBy = started.stalledBy;
    return started;
  });
  return {
    readiness: [async () => (await schema.health()).reason, async () => stalledBy()],
    stalledBy: () => stalledBy(),
    untilReady: () => schema.untilCurrent(),
    close: () => closeAll(work.close, () => schema.close()),
  };
}

/** Starts to carry out jobs, to sweep, and to clear away what has expired. Closing finishes what runs. */
function startWork({ db, queue, log, metrics, drains }: WorkerOptions) {
  const worker = new OrderWorker({ db, log, metrics, drains });
  const consumer = openConsumer<unknown>(queue, QUEUE_NAME, {
    concurrency: JOBS_AT_ONCE,
    log,
    process: (data) => worker.process(data),
  });
  const sweep = every(SWEEP_EVERY_MS, () => worker.sweep(), log);
  const expire = every(EXPIRE_EVERY_MS, () => deleteExpiredAccess(db), log);
  return {
    stalledBy: () => worker.stalledBy,
    close: () => closeAll(sweep.close, expire.close, consumer.close, () => worker.close()),
  };
}
