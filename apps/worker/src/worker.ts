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
} from '@lockstep/platform';
import { every } from './every.ts';

/** Jobs in progress at once. A job only waits for drains, which are bounded on their own. */
const JOBS_AT_ONCE = 50;
const SWEEP_EVERY_MS = 1_000;
const EXPIRE_EVERY_MS = 30_000;

/** Connections that a worker needs beside those of its drains: sweep, expiry, notifications, metrics. */
export const WORKER_SPARE_CONNECTIONS = 4;

/** A worker that runs. */
export interface RunningWorker extends Closable {
  /** Why orders wait that should have been applied; null where none does. */
  stalledBy(): string | null;
}

/** Starts to carry out jobs, to sweep, and to clear away what has expired. Closing finishes what runs. */
export async function startWorker(options: {
  db: Database;
  queue: QueueBackend;
  log: Logger;
  metrics: Metrics;
  drains: number;
}): Promise<RunningWorker> {
  const { db, queue, log, metrics, drains } = options;
  if (queue.kind === 'redis') await assertRedisKeepsJobs(queue.url, log);
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
