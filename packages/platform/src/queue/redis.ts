import { Queue, Worker } from 'bullmq';
import { Cluster, Redis } from 'ioredis';
import { type Closable, closeAll } from '../process/lifecycle.ts';
import {
  type ConsumerOptions,
  closeInTime,
  createErrorLogger,
  type OpenedQueue,
  type QueueBackend,
  TIMEOUT_MS,
  WORKER_OPTIONS,
} from './backend.ts';
import { REDIS_ADDRESS_RULE, readRedisAddress } from './redis-address.ts';

type RedisBackend = Extract<QueueBackend, { kind: 'redis' }>;

/** Braces put all keys of a queue into one slot of a Redis Cluster, which BullMQ's scripts require. */
const hashTagged = (name: string) => `{${name}}`;

/** Opens a queue on Redis. */
export function openRedisQueue(
  { url, prefix = 'bull' }: RedisBackend,
  name: string,
  logError: (error: Error) => void,
): OpenedQueue {
  const connection = openRedisClient(url, {
    maxRetriesPerRequest: 1,
    connectTimeout: TIMEOUT_MS,
    commandTimeout: TIMEOUT_MS,
  });
  const logFault = (error: Error) => logError(withNodeFault(error));
  connection.on('error', logFault);
  const queue = new Queue(hashTagged(name), { connection, prefix, skipWaitingForReady: true });
  queue.on('error', logFault);
  return {
    queue,
    close: () => closeAll({ queue: () => queue.close(), connection: async () => connection.disconnect() }),
  };
}

/** Processes jobs of a queue on Redis. */
export function openRedisConsumer<Job>(
  { url, prefix = 'bull' }: RedisBackend,
  name: string,
  { concurrency, log, process }: ConsumerOptions<Job>,
): Closable {
  const connection = openRedisClient(url, { maxRetriesPerRequest: null });
  const worker = new Worker<Job, void>(hashTagged(name), (job) => process(job.data), {
    ...WORKER_OPTIONS,
    connection,
    prefix,
    concurrency,
  });
  const logError = createErrorLogger(log, name);
  worker.on('error', (error) => logError(withNodeFault(error)));
  return {
    async close() {
      // Without its Redis, a worker waits forever to say goodbye. Its jobs only wait for work that ends by itself.
      await closeInTime(worker.close(connection.status !== 'ready'), log);
      connection.disconnect();
    },
  };
}

const reconnectDelayMs = (attempt: number) => Math.min(attempt * 100, 2_000);

/**
 * How often the client asks which node owns which slots. A master that hangs closes no connection, so this is the only
 * sign that a replica has taken over.
 */
const REFRESH_SLOTS_EVERY_MS = 2_000;
/** The time limit of that request. */
const REFRESH_SLOTS_TIMEOUT_MS = 1_000;

/**
 * Connects to Redis: one server, or the nodes of a cluster. Throws Error if the address is invalid; it quotes no part
 * of it.
 */
function openRedisClient(
  url: string,
  options: { maxRetriesPerRequest: number | null; connectTimeout?: number; commandTimeout?: number },
): Redis | Cluster {
  const address = readRedisAddress(url);
  if (address === null) throw new Error(`The Redis address ${REDIS_ADDRESS_RULE}`);
  if (address.kind === 'server') return new Redis(address.url, { ...options, retryStrategy: reconnectDelayMs });
  const { nodes, tls, username, password } = address;
  return new Cluster(nodes, {
    clusterRetryStrategy: reconnectDelayMs,
    slotsRefreshInterval: REFRESH_SLOTS_EVERY_MS,
    slotsRefreshTimeout: REFRESH_SLOTS_TIMEOUT_MS,
    // Keeps host names unresolved, because TLS compares them with the certificate.
    dnsLookup: (name, found) => found(null, name),
    redisOptions: {
      ...options,
      ...(username && { username }),
      ...(password && { password }),
      ...(tls && { tls: {} }),
    },
  });
}

/** Adds why the last node failed as the cause; the cluster's error only says that no node answered. */
function withNodeFault(error: Error): Error {
  const { lastNodeError } = error as { lastNodeError?: unknown };
  if (lastNodeError instanceof Error) error.cause ??= lastNodeError;
  return error;
}
