import { createPostgresBackend, Queue, Worker, withBackend } from 'bullmq';
import { Redis } from 'ioredis';
import type { Logger } from './log.ts';

/** Where BullMQ keeps its jobs: Redis in production, PostgreSQL where there is no Redis (decisions 9). */
export type QueueBackend = { kind: 'redis'; url: string; prefix?: string } | { kind: 'postgres'; url: string };

/** Puts jobs into a queue. */
export interface JobProducer<Job> {
  /** Rejects within seconds where the backend cannot be reached. */
  add(job: Job): Promise<void>;
  /** Whether the backend answers now. */
  isReachable(): Promise<boolean>;
  close(): Promise<void>;
}

/** Takes jobs out of a queue until closed; closing waits for the jobs that run. */
export interface JobConsumer {
  close(): Promise<void>;
}

/** Braces make a queue's keys fall on one node of a Redis cluster. */
const redisQueueName = (name: string) => `{${name}}`;

const PRODUCER_TIMEOUT_MS = 2_000;
const POSTGRES_POOL = 4;

const { Queue: PostgresQueue, Worker: PostgresWorker } = withBackend(createPostgresBackend);

/** Finished jobs are of no use: the outcome stands in the ledger. A failed one is made up for by the sweep. */
const JOB_OPTIONS = { removeOnComplete: true, removeOnFail: true, attempts: 1 };

/** The backend that the configuration names: REDIS_URL, or else the database itself. */
export function queueBackendOf(config: { REDIS_URL?: string | undefined }, databaseUrl: string): QueueBackend {
  return config.REDIS_URL === undefined
    ? { kind: 'postgres', url: databaseUrl }
    : { kind: 'redis', url: config.REDIS_URL };
}

/** Brings BullMQ's own tables to the version in use. Does nothing on Redis. */
export async function migrateQueue(backend: QueueBackend, name: string): Promise<void> {
  if (backend.kind === 'redis') return;
  const queue = new PostgresQueue(name, { connection: { connectionString: backend.url, max: 1, migrate: true } });
  try {
    await queue.waitUntilReady();
  } finally {
    await queue.close();
  }
}

/** Opens the producing end of a queue. Its connection errors are logged and show in `isReachable`; it reconnects. */
export function openProducer<Job extends { type: string }>(
  backend: QueueBackend,
  name: string,
  log: Logger,
): JobProducer<Job> {
  const { queue, ping, disconnect } =
    backend.kind === 'redis' ? redisQueue(backend, name) : postgresQueue(backend, name);
  queue.on('error', (error: Error) => log.warn({ err: error, queue: name }, 'queue connection failed'));
  return {
    async add(job) {
      await withTimeout(queue.add(job.type, job, JOB_OPTIONS));
    },
    isReachable: () =>
      withTimeout(ping()).then(
        () => true,
        () => false,
      ),
    async close() {
      await withTimeout(queue.close()).catch((error: unknown) => log.warn({ err: error }, 'queue closed by force'));
      disconnect();
    },
  };
}

function redisQueue(backend: { url: string; prefix?: string }, name: string) {
  const connection = new Redis(backend.url, {
    maxRetriesPerRequest: 1,
    connectTimeout: PRODUCER_TIMEOUT_MS,
    commandTimeout: PRODUCER_TIMEOUT_MS,
    retryStrategy: reconnectDelayMs,
  });
  // Its errors come out of the queue too, once a connection is shared; this listener only keeps it from throwing.
  connection.on('error', () => {});
  const queue = new Queue(redisQueueName(name), { connection, skipWaitingForReady: true, ...prefixOf(backend) });
  return { queue, ping: async (): Promise<unknown> => connection.ping(), disconnect: () => connection.disconnect() };
}

function postgresQueue(backend: { url: string }, name: string) {
  const queue = new PostgresQueue(name, {
    connection: { connectionString: backend.url, max: POSTGRES_POOL, connectionTimeoutMillis: PRODUCER_TIMEOUT_MS },
  });
  return { queue, ping: async (): Promise<unknown> => queue.getMeta(), disconnect: () => {} };
}

/** Starts to take jobs, `concurrency` at once. A job that `process` rejects is logged by the caller and dropped. */
export function openConsumer<Job>(
  backend: QueueBackend,
  name: string,
  options: { concurrency: number; log: Logger; process: (job: Job) => Promise<void> },
): JobConsumer {
  const { concurrency, log, process } = options;
  const processor = async (job: { data: Job }) => process(job.data);
  const worker =
    backend.kind === 'redis'
      ? new Worker<Job, void>(redisQueueName(name), processor, {
          connection: workerRedis(backend.url),
          concurrency,
          ...prefixOf(backend),
        })
      : new PostgresWorker<Job, void>(name, processor, {
          connection: { connectionString: backend.url, max: POSTGRES_POOL },
          concurrency,
        });
  worker.on('error', (error) => log.warn({ err: error, queue: name }, 'queue connection failed'));
  return { close: () => worker.close() };
}

const workerRedis = (url: string) =>
  ({ url, maxRetriesPerRequest: null, retryStrategy: reconnectDelayMs }) as { url: string; maxRetriesPerRequest: null };

const reconnectDelayMs = (attempt: number) => Math.min(attempt * 100, 2_000);

const prefixOf = (backend: { prefix?: string }) => (backend.prefix === undefined ? {} : { prefix: backend.prefix });

/**
 * Throws where Redis may evict keys, which would take jobs away. A Redis that cannot be asked now is only logged: the
 * sweep works without it.
 */
export async function assertRedisKeepsJobs(url: string, log: Logger): Promise<void> {
  const policy = await readEvictionPolicy(url).catch((error: unknown) => {
    log.warn({ err: error }, 'Redis does not answer; orders are found by the sweep until it does');
    return undefined;
  });
  if (policy !== undefined && policy !== 'noeviction') {
    throw new Error(`Redis evicts keys (maxmemory-policy ${policy}). Set maxmemory-policy to noeviction.`);
  }
}

async function readEvictionPolicy(url: string): Promise<string | undefined> {
  const redis = new Redis(url, { maxRetriesPerRequest: 1, connectTimeout: PRODUCER_TIMEOUT_MS, lazyConnect: true });
  redis.on('error', () => {});
  try {
    await redis.connect();
    return /maxmemory_policy:(\S+)/.exec(await redis.info('memory'))?.[1];
  } finally {
    redis.disconnect();
  }
}

async function withTimeout<Result>(work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`The queue did not answer in ${PRODUCER_TIMEOUT_MS} ms`)),
      PRODUCER_TIMEOUT_MS,
    );
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
