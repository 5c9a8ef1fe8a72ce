import { setTimeout as delay } from 'node:timers/promises';
import { createPostgresBackend, type PostgresConnectionOptions, runMigrations, withBackend } from 'bullmq';
import type pg from 'pg';
import { openPrimaryPool } from '../postgres/pool.ts';
import { type Closable, closeAll } from '../process/lifecycle.ts';
import type { Logger } from '../process/log.ts';
import {
  type ConsumerOptions,
  createErrorLogger,
  type JobConsumer,
  type JobProducer,
  type OpenedQueue,
  PRODUCER_TIMEOUT_MS,
  reopeningProducer,
  WORKER_OPTIONS,
} from './backend.ts';

const { Queue, Worker } = withBackend(createPostgresBackend);

const POOL_SIZE = 4;
const RETRY_MS = 1_000;
/** The schema of BullMQ's tables. */
const SCHEMA = 'bullmq';

interface QueueBounds {
  /** The most connections, POOL_SIZE by default; one more listens for jobs. */
  poolSize?: number;
  /** The time limit of each query; unlimited by default. */
  queryTimeoutMs?: number;
}

/**
 * Opens the connections of one queue, whose sessions are named after it. BullMQ (6.7) must not open them: it does not
 * handle the error of a connection that breaks while it opens or is in use, which would end the process.
 */
function openPool(
  url: string,
  name: string,
  logError: (error: Error) => void,
  { poolSize = POOL_SIZE + 1, queryTimeoutMs }: QueueBounds = {},
): pg.Pool & PostgresConnectionOptions {
  const config = {
    connectionString: url,
    max: poolSize,
    ...(queryTimeoutMs && { query_timeout: queryTimeoutMs, statement_timeout: queryTimeoutMs }),
    connectionTimeoutMillis: PRODUCER_TIMEOUT_MS,
    // With a prefix, because BullMQ takes sessions whose name begins with the queue's for workers.
    application_name: `queue-${name}`,
  };
  // BullMQ accepts a pool, although its type does not say so.
  return openPrimaryPool(config as pg.PoolConfig, logError, SCHEMA) as unknown as pg.Pool & PostgresConnectionOptions;
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

/** Opens a queue on PostgreSQL with its own connections. */
export function openPostgresQueue(url: string, name: string, logError: (error: Error) => void, bounds?: QueueBounds) {
  const pool = openPool(url, name, logError, bounds);
  const queue = new Queue(name, { connection: pool });
  queue.on('error', (error) => void (pool.ending || logError(error)));
  return { queue, close: () => closeAll({ queue: () => queue.close(), pool: () => pool.end() }) };
}

/** Opens the producing end of a queue on PostgreSQL. */
export function openPostgresProducer<Job extends { type: string }>(
  url: string,
  name: string,
  log: Logger,
): JobProducer<Job> {
  // The same class as on Redis, with another backend.
  const open = (logError: (error: Error) => void) => openPostgresQueue(url, name, logError) as unknown as OpenedQueue;
  return reopeningProducer(open, name, log);
}

/** Processes jobs of a queue on PostgreSQL. Waits until the database is available. */
export function openPostgresConsumer<Job>(
  url: string,
  name: string,
  { concurrency, log, process }: ConsumerOptions<Job>,
): JobConsumer {
  const logError = createErrorLogger(log, name);
  const closing = new AbortController();
  const open = (): OpenedWorker => {
    const pool = openPool(url, name, logError);
    const options = { ...WORKER_OPTIONS, connection: pool, concurrency, autorun: false };
    const worker = new Worker<Job, void>(name, (job) => process(job.data), options);
    worker.on('error', (error) => void (pool.ending || logError(error)));
    return { worker, close: () => closeAll({ worker: () => worker.close(), pool: () => pool.end() }) };
  };
  const starting = startWorker(open, logError, closing.signal);
  return {
    async close() {
      closing.abort();
      await (await starting)?.close();
    },
  };
}

interface OpenedWorker extends Closable {
  worker: { waitUntilReady(): Promise<void>; run(): Promise<void> };
}

/**
 * Opens and runs a worker once BullMQ's tables exist and are current; undefined if it was told to stop first. A BullMQ
 * worker (6.7) whose first connection fails keeps failing and, if it runs, asks for jobs in a loop that blocks the
 * process. So each attempt opens another worker.
 */
async function startWorker(
  open: () => OpenedWorker,
  logError: (error: Error) => void,
  stop: AbortSignal,
): Promise<OpenedWorker | undefined> {
  while (!stop.aborted) {
    const opened = open();
    try {
      await opened.worker.waitUntilReady();
      opened.worker.run().catch(logError);
      return opened;
    } catch (error) {
      logError(error as Error);
      await opened.close().catch(logError);
      await delay(RETRY_MS, undefined, { signal: stop }).catch(() => {});
    }
  }
  return undefined;
}
