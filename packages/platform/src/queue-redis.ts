import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { closeAll } from './lifecycle.ts';
import type { Logger } from './log.ts';
import type { ConsumerOptions, JobConsumer, JobProducer, QueueBackend } from './queue-backend.ts';
import { createErrorLogger, JOB_OPTIONS, PRODUCER_TIMEOUT_MS, withTimeout } from './queue-limits.ts';

type RedisBackend = Extract<QueueBackend, { kind: 'redis' }>;

/** Braces put all keys of a queue on one node of a Redis cluster. */
const hashTagged = (name: string) => `{${name}}`;

const CLOSE_TIMEOUT_MS = 5_000;

const reconnectDelayMs = (attempt: number) => Math.min(attempt * 100, 2_000);

/** BullMQ refuses `prefix: undefined`. */
const buildPrefix = ({ prefix }: RedisBackend) => (prefix === undefined ? {} : { prefix });

/** Opens a queue on Redis with a connection of its own, on which each command has a bounded time. */
export function openRedisQueue(backend: RedisBackend, name: string, logError: (error: Error) => void) {
  const connection = new Redis(backend.url, {
    maxRetriesPerRequest: 1,
    connectTimeout: PRODUCER_TIMEOUT_MS,
    commandTimeout: PRODUCER_TIMEOUT_MS,
    retryStrategy: reconnectDelayMs,
  });
  connection.on('error', logError);
  const queue = new Queue(hashTagged(name), { connection, skipWaitingForReady: true, ...buildPrefix(backend) });
  queue.on('error', logError);
  return {
    queue,
    connection,
    close: () =>
      closeAll(
        () => queue.close(),
        async () => connection.disconnect(),
      ),
  };
}

/** Opens the producing end of a queue on Redis. */
export function openRedisProducer<Job extends { type: string }>(
  backend: RedisBackend,
  name: string,
  log: Logger,
): JobProducer<Job> {
  const { queue, connection } = openRedisQueue(backend, name, createErrorLogger(log, name));
  return {
    async add(job) {
      await withTimeout(queue.add(job.type, job, JOB_OPTIONS));
    },
    isReachable: () =>
      withTimeout(connection.ping()).then(
        () => true,
        () => false,
      ),
    async close() {
      await withTimeout(queue.close()).catch((error: unknown) => log.warn({ err: error }, 'queue closed by force'));
      connection.disconnect();
    },
  };
}

/** Takes jobs from a queue on Redis. */
export function openRedisConsumer<Job>(
  backend: RedisBackend,
  name: string,
  { concurrency, log, process }: ConsumerOptions<Job>,
): JobConsumer {
  const connection = { url: backend.url, maxRetriesPerRequest: null, retryStrategy: reconnectDelayMs };
  const worker = new Worker<Job, void>(hashTagged(name), (job) => process(job.data), {
    connection,
    concurrency,
    ...buildPrefix(backend),
  });
  worker.on('error', createErrorLogger(log, name));
  return {
    async close() {
      // Without its Redis, a worker never closes. Its jobs only wait for work that ends by itself.
      await withTimeout(worker.close(), CLOSE_TIMEOUT_MS).catch((error: unknown) =>
        log.warn({ err: error }, 'queue closed by force'),
      );
    },
  };
}

/**
 * Throws if Redis may evict keys, because that would remove jobs. If Redis cannot be asked now, it only logs that: the
 * sweep works without Redis.
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
  // `connect` and `info` reject with the error; without a listener it would end the process.
  redis.on('error', () => {});
  try {
    await redis.connect();
    return /maxmemory_policy:(\S+)/.exec(await redis.info('memory'))?.[1];
  } finally {
    redis.disconnect();
  }
}
