import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { createPostgresBackend, type PostgresConnectionOptions, runMigrations, withBackend } from 'bullmq';
import type pg from 'pg';
import { openPrimaryPool } from '../postgres/pool.ts';
import { type Closable, closeAll } from '../process/lifecycle.ts';
import {
  type ConsumerOptions,
  createErrorLogger,
  type OpenedQueue,
  RETRY_MS,
  TIMEOUT_MS,
  WORKER_OPTIONS,
} from './backend.ts';

const { Queue, Worker } = withBackend(createPostgresBackend);

/** A worker's connections, of which one listens for jobs. */
const WORKER_CONNECTIONS = 5;
/** Those of a queue. If its user gives up, its queries end too. */
const QUEUE_BOUNDS = { max: 3, query_timeout: TIMEOUT_MS, statement_timeout: TIMEOUT_MS };
/** The schema of BullMQ's tables. */
const SCHEMA = 'bullmq';

/**
 * Opens the connections of one queue, whose sessions are named after it. BullMQ (6.7) must not open them: it does not
 * handle the error of a connection that breaks while it opens or is in use, which would end the process.
 */
function openPool(
  url: string,
  name: string,
  logError: (error: Error) => void,
  bounds: { max: number; query_timeout?: number; statement_timeout?: number },
): pg.Pool & PostgresConnectionOptions {
  const config: pg.PoolConfig = {
    connectionString: url,
    ...bounds,
    connectionTimeoutMillis: TIMEOUT_MS,
    // With a prefix, because BullMQ takes sessions whose name begins with the queue's for workers.
    application_name: `queue-${name}`,
  };
  // BullMQ accepts a pool, although its type does not say so.
  return openPrimaryPool(config, logError, SCHEMA) as unknown as pg.Pool & PostgresConnectionOptions;
}

/** Migrates BullMQ's own tables to the version in use. Waits at most `lockTimeoutMs` for a lock. */
export async function migratePostgresQueue(url: string, lockTimeoutMs: number): Promise<void> {
  const config = { connectionString: url, max: 1, lock_timeout: lockTimeoutMs };
  const pool = openPrimaryPool(config, () => {}, SCHEMA);
  try {
    const client = await pool.connect();
    await runMigrations(client, SCHEMA).finally(() => client.release());
  } finally {
    await pool.end();
  }
}

/** Opens a queue on PostgreSQL. */
export function openPostgresQueue(url: string, name: string, logError: (error: Error) => void): OpenedQueue {
  const pool = openPool(url, name, logError, QUEUE_BOUNDS);
  const queue = new Queue(name, { connection: pool });
  queue.on('error', (error) => void (pool.ending || logError(error)));
  // The same class as on Redis, with another backend.
  return {
    queue,
    close: () => closeAll({ queue: () => queue.close(), pool: () => pool.end() }),
  } as unknown as OpenedQueue;
}

/**
 * Processes jobs of a queue on PostgreSQL, as soon as BullMQ's tables exist and are current. A BullMQ worker (6.7)
 * whose first connection fails keeps failing and, if it runs, asks for jobs in a loop that blocks the process. So each
 * attempt opens another worker.
 */
export function openPostgresConsumer<Job>(
  url: string,
  name: string,
  { concurrency, log, process }: ConsumerOptions<Job>,
): Closable {
  const logError = createErrorLogger(log, name);
  const stop = new AbortController();
  const stopped = once(stop.signal, 'abort');
  const run = async () => {
    while (!stop.signal.aborted) {
      const pool = openPool(url, name, logError, { max: WORKER_CONNECTIONS });
      const options = { ...WORKER_OPTIONS, connection: pool, concurrency, autorun: false };
      const worker = new Worker<Job, void>(name, (job) => process(job.data), options);
      worker.on('error', (error) => void (pool.ending || logError(error)));
      try {
        await worker.waitUntilReady();
        worker.run().catch(logError);
        await stopped;
      } catch (error) {
        logError(error as Error);
        await delay(RETRY_MS, undefined, { signal: stop.signal }).catch(() => {});
      }
      await closeAll({ worker: () => worker.close(), pool: () => pool.end() }).catch(logError);
    }
  };
  const running = run();
  return {
    async close() {
      stop.abort();
      await running;
    },
  };
}
