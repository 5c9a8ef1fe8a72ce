import { setTimeout as delay } from 'node:timers/promises';
import { createPostgresBackend, type PostgresConnectionOptions, withBackend } from 'bullmq';
import type { Logger } from './log.ts';
import type { ConsumerOptions, JobConsumer, JobProducer } from './queue.ts';
import { connectionErrorLogger, JOB_OPTIONS, PRODUCER_TIMEOUT_MS, withTimeout } from './queue-limits.ts';

const { Queue, Worker } = withBackend(createPostgresBackend);

const POOL_SIZE = 4;
const RETRY_MS = 1_000;

const connectionOf = (url: string): PostgresConnectionOptions => ({
  connectionString: url,
  max: POOL_SIZE,
  connectionTimeoutMillis: PRODUCER_TIMEOUT_MS,
  application_name: 'lockstep-queue',
});

/** Brings BullMQ's own tables to the version in use; waits for a lock that others hold `lockTimeoutMs` at most. */
export async function migratePostgresQueue(url: string, name: string, lockTimeoutMs: number): Promise<void> {
  const connection = { connectionString: url, max: 1, migrate: true, lock_timeout: lockTimeoutMs };
  const queue = new Queue(name, { connection });
  queue.on('error', () => {});
  try {
    await queue.waitUntilReady();
  } finally {
    await queue.close();
  }
}

/**
 * A queue of BullMQ (6.7) whose first connection fails stays broken for good, so it is opened by the first call, and one
 * that failed is thrown away and the next call opens another.
 */
export function openPostgresProducer<Job extends { type: string }>(
  url: string,
  name: string,
  log: Logger,
): JobProducer<Job> {
  const logError = connectionErrorLogger(log, name);
  const open = () => {
    const opened = new Queue(name, { connection: connectionOf(url) });
    opened.on('error', logError);
    return opened;
  };
  let queue: ReturnType<typeof open> | undefined;
  const attempt = async (work: (queue: ReturnType<typeof open>) => Promise<unknown>) => {
    queue ??= open();
    const used = queue;
    try {
      await withTimeout(work(used));
    } catch (error) {
      if (queue === used) {
        queue = undefined;
        used.close().catch(logError);
      }
      throw error;
    }
  };
  return {
    add: (job) => attempt((opened) => opened.add(job.type, job, JOB_OPTIONS)),
    isReachable: () =>
      attempt((opened) => opened.getMeta()).then(
        () => true,
        () => false,
      ),
    async close() {
      if (queue === undefined) return;
      await withTimeout(queue.close()).catch((error: unknown) => log.warn({ err: error }, 'queue closed by force'));
    },
  };
}

/** A worker of BullMQ (6.7) that starts while its database is away spins without end, so it starts when it is there. */
export function openPostgresConsumer<Job>(
  url: string,
  name: string,
  { concurrency, log, process }: ConsumerOptions<Job>,
): JobConsumer {
  const logError = connectionErrorLogger(log, name);
  const closing = new AbortController();
  const starting = untilReady(url, name, logError, closing.signal).then((ready) => {
    if (!ready) return undefined;
    const worker = new Worker<Job, void>(name, (job) => process(job.data), {
      connection: connectionOf(url),
      concurrency,
    });
    worker.on('error', logError);
    return worker;
  });
  return {
    async close() {
      closing.abort();
      await (await starting)?.close();
    },
  };
}

/** Waits until BullMQ's tables are there and current; answers false where it was told to stop first. */
async function untilReady(
  url: string,
  name: string,
  logError: (error: Error) => void,
  stop: AbortSignal,
): Promise<boolean> {
  while (!stop.aborted) {
    const queue = new Queue(name, { connection: connectionOf(url) });
    queue.on('error', () => {});
    try {
      await queue.waitUntilReady();
      return true;
    } catch (error) {
      logError(error as Error);
      await delay(RETRY_MS, undefined, { signal: stop }).catch(() => {});
    } finally {
      await queue.close().catch(logError);
    }
  }
  return false;
}
