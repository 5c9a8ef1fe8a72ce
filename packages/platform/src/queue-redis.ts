import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import type { Logger } from './log.ts';
import type { ConsumerOptions, JobConsumer, JobProducer } from './queue.ts';
import { connectionErrorLogger, JOB_OPTIONS, PRODUCER_TIMEOUT_MS, withTimeout } from './queue-limits.ts';

interface RedisBackend {
  url: string;
  prefix?: string;
}

/** Braces make a queue's keys fall on one node of a Redis cluster. */
const hashTagged = (name: string) => `{${name}}`;

const CLOSE_TIMEOUT_MS = 5_000;

const reconnectDelayMs = (attempt: number) => Math.min(attempt * 100, 2_000);

const prefixOf = (backend: RedisBackend) => (backend.prefix === undefined ? {} : { prefix: backend.prefix });

export function openRedisProducer<Job extends { type: string }>(
  backend: RedisBackend,
  name: string,
  log: Logger,
): JobProducer<Job> {
  const connection = new Redis(backend.url, {
    maxRetriesPerRequest: 1,
    connectTimeout: PRODUCER_TIMEOUT_MS,
    commandTimeout: PRODUCER_TIMEOUT_MS,
    retryStrategy: reconnectDelayMs,
  });
  const logError = connectionErrorLogger(log, name);
  connection.on('error', logError);
  const queue = new Queue(hashTagged(name), { connection, skipWaitingForReady: true, ...prefixOf(backend) });
  queue.on('error', logError);
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

export function openRedisConsumer<Job>(
  backend: RedisBackend,
  name: string,
  { concurrency, log, process }: ConsumerOptions<Job>,
): JobConsumer {
  const connection = { url: backend.url, maxRetriesPerRequest: null, retryStrategy: reconnectDelayMs };
  const worker = new Worker<Job, void>(hashTagged(name), (job) => process(job.data), {
    connection,
    concurrency,
    ...prefixOf(backend),
  });
  worker.on('error', connectionErrorLogger(log, name));
  return {
    async close() {
      // While its Redis is away a worker never comes to an end. Its jobs only wait for drains, which end on their own.
      await withTimeout(worker.close(), CLOSE_TIMEOUT_MS).catch((error: unknown) =>
        log.warn({ err: error }, 'queue closed by force'),
      );
    },
  };
}

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
  // `connect` and `info` reject with it; without a listener it would end the process.
  redis.on('error', () => {});
  try {
    await redis.connect();
    return /maxmemory_policy:(\S+)/.exec(await redis.info('memory'))?.[1];
  } finally {
    redis.disconnect();
  }
}
