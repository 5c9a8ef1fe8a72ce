import { Queue, Worker } from 'bullmq';
import { Cluster, Redis } from 'ioredis';
import { closeAll } from '../process/lifecycle.ts';
import type { Logger } from '../process/log.ts';
import {
  type ConsumerOptions,
  createErrorLogger,
  type JobConsumer,
  type JobProducer,
  PRODUCER_TIMEOUT_MS,
  type QueueBackend,
  reopeningProducer,
  WORKER_OPTIONS,
  withTimeout,
} from './backend.ts';
import { readRedisAddress } from './redis-address.ts';

type RedisBackend = Extract<QueueBackend, { kind: 'redis' }>;

/** Braces put all keys of a queue into one slot of a Redis Cluster, which BullMQ's scripts require. */
const hashTagged = (name: string) => `{${name}}`;

const CLOSE_TIMEOUT_MS = 5_000;
/** How long a worker waits before it asks for jobs again after a connection failure. BullMQ's default is 15 s. */
const RETRY_MS = 1_000;

/** BullMQ refuses `prefix: undefined`. */
const buildPrefix = ({ prefix }: RedisBackend) => (prefix === undefined ? {} : { prefix });

/** Opens a queue on Redis with its own connections, on which each command has a time limit. */
export function openRedisQueue(backend: RedisBackend, name: string, logError: (error: Error) => void) {
  const connection = openRedisClient(backend.url, {
    maxRetriesPerRequest: 1,
    connectTimeout: PRODUCER_TIMEOUT_MS,
    commandTimeout: PRODUCER_TIMEOUT_MS,
  });
  const logFault = (error: Error) => logError(withNodeFault(error));
  connection.on('error', logFault);
  const queue = new Queue(hashTagged(name), { connection, skipWaitingForReady: true, ...buildPrefix(backend) });
  queue.on('error', logFault);
  return {
    queue,
    close: () => closeAll({ queue: () => queue.close(), connection: async () => connection.disconnect() }),
  };
}

/** Opens the producing end of a queue on Redis. */
export function openRedisProducer<Job extends { type: string }>(
  backend: RedisBackend,
  name: string,
  log: Logger,
): JobProducer<Job> {
  return reopeningProducer((logError) => openRedisQueue(backend, name, logError), name, log);
}

/** Processes jobs of a queue on Redis. */
export function openRedisConsumer<Job>(
  backend: RedisBackend,
  name: string,
  { concurrency, log, process }: ConsumerOptions<Job>,
): JobConsumer {
  const connections = openWorkerConnections(backend.url);
  const worker = new Worker<Job, void>(hashTagged(name), (job) => process(job.data), {
    ...WORKER_OPTIONS,
    connection: connections.first,
    concurrency,
    runRetryDelay: RETRY_MS,
    ...buildPrefix(backend),
  });
  const logError = createErrorLogger(log, name);
  worker.on('error', (error) => logError(withNodeFault(error)));
  return {
    async close() {
      // A worker without its Redis never closes. Its jobs only wait for work that ends by itself.
      await withTimeout(worker.close(), CLOSE_TIMEOUT_MS).catch((error: unknown) =>
        log.warn({ err: error }, 'queue close failed; disconnecting'),
      );
      connections.disconnect();
    },
  };
}

/**
 * The connections of a worker: the one it gets, and a duplicate on which it waits for jobs, and which it keeps while
 * Redis is unavailable.
 */
function openWorkerConnections(url: string): { first: RedisClient; disconnect: () => void } {
  const first = openRedisClient(url, { maxRetriesPerRequest: null });
  const all: RedisClient[] = [first];
  const duplicate = first.duplicate.bind(first) as (...options: unknown[]) => RedisClient;
  first.duplicate = ((...options: unknown[]) => {
    const other = duplicate(...options);
    all.push(other);
    return other;
  }) as RedisClient['duplicate'];
  return {
    first,
    disconnect: () => {
      for (const connection of all) connection.disconnect();
    },
  };
}

/**
 * Throws if Redis may evict keys, which would remove jobs. In a cluster, checks each node, because the queue may move
 * to any. If Redis or a node is unreachable, it only logs that.
 */
export async function assertRedisKeepsJobs(url: string, log: Logger): Promise<void> {
  const servers = await readEvictionPolicies(url, log).catch((error: unknown) => {
    log.warn({ err: error }, 'redis eviction policy unknown');
    return [];
  });
  const evicting = servers.find(({ policy }) => policy !== undefined && policy !== 'noeviction');
  if (evicting === undefined) return;
  const { server, policy } = evicting;
  throw new Error(`Redis at ${server} evicts keys (maxmemory-policy ${policy}). Set maxmemory-policy to noeviction.`);
}

async function readEvictionPolicies(url: string, log: Logger) {
  const options = { maxRetriesPerRequest: 1, connectTimeout: PRODUCER_TIMEOUT_MS, commandTimeout: PRODUCER_TIMEOUT_MS };
  const redis = openRedisClient(url, { ...options, lazyConnect: true });
  // Without a listener, the error would end the process. That of a cluster says more than the rejection of `connect`.
  let fault: Error | undefined;
  redis.on('error', (error) => {
    fault = withNodeFault(error);
  });
  try {
    await withTimeout(redis.connect()).catch((error: unknown) => {
      throw fault ?? error;
    });
    const servers = listServers(redis);
    return await Promise.all(
      servers.map(async (one) => {
        const server = `${one.options.host}:${one.options.port}`;
        const memory = await one.info('memory').catch((error: unknown) => {
          if (servers.length === 1) throw error;
          log.warn({ err: error, server }, 'redis eviction policy unknown');
          return '';
        });
        return { server, policy: /maxmemory_policy:(\S+)/.exec(memory)?.[1] };
      }),
    );
  } finally {
    redis.disconnect();
  }
}

/** A connection to Redis, or the connections to the nodes of a cluster. */
type RedisClient = Redis | Cluster;

const reconnectDelayMs = (attempt: number) => Math.min(attempt * 100, 2_000);

/**
 * How often the client asks which node owns which slots. A master that hangs closes no connection, so this is the only
 * sign that a replica has taken over.
 */
const REFRESH_SLOTS_EVERY_MS = 2_000;
/** The time limit of that request. */
const REFRESH_SLOTS_TIMEOUT_MS = 1_000;

/** The settings of each connection. */
interface ConnectionOptions {
  maxRetriesPerRequest: number | null;
  connectTimeout?: number;
  commandTimeout?: number;
  lazyConnect?: boolean;
}

/** Connects to Redis: one server or a cluster. Throws Error if the address is invalid; it quotes no part of it. */
function openRedisClient(url: string, options: ConnectionOptions): RedisClient {
  const { address, fault } = readRedisAddress(url);
  if (address === undefined) throw new Error(`The Redis address ${fault}`);
  if (address.kind === 'server') return new Redis(address.url, { ...options, retryStrategy: reconnectDelayMs });
  const { lazyConnect = false, ...ofEachNode } = options;
  const { nodes, tls, username, password } = address;
  return new Cluster(nodes, {
    lazyConnect,
    clusterRetryStrategy: reconnectDelayMs,
    slotsRefreshInterval: REFRESH_SLOTS_EVERY_MS,
    slotsRefreshTimeout: REFRESH_SLOTS_TIMEOUT_MS,
    // Keeps host names unresolved, because TLS compares them with the certificate.
    dnsLookup: (name, found) => found(null, name),
    redisOptions: {
      ...ofEachNode,
      ...(username !== null && { username }),
      ...(password !== null && { password }),
      ...(tls && { tls: {} }),
    },
  });
}

/** Returns the one server, or all nodes of the cluster that are known after connecting. */
function listServers(client: RedisClient): Redis[] {
  return client instanceof Cluster ? client.nodes() : [client];
}

/** Adds why the last node failed as the cause; the cluster's error only says that no node answered. */
function withNodeFault(error: Error): Error {
  const { lastNodeError } = error as { lastNodeError?: unknown };
  if (lastNodeError instanceof Error) error.cause ??= lastNodeError;
  return error;
}
