import { Cluster, Redis } from 'ioredis';
import { readRedisAddress } from './redis-address.ts';

/** A connection to Redis, or those to the nodes of a cluster. */
export type RedisClient = Redis | Cluster;

const reconnectDelayMs = (attempt: number) => Math.min(attempt * 100, 2_000);

/**
 * How often the nodes are asked who has which slots. A master that hangs closes no connection, so that nothing else
 * tells that its replica has taken over.
 */
const REFRESH_SLOTS_EVERY_MS = 2_000;
/** How long a node may take to tell it. */
const REFRESH_SLOTS_TIMEOUT_MS = 1_000;

/** How each connection behaves. */
interface ConnectionOptions {
  maxRetriesPerRequest: number | null;
  connectTimeout?: number;
  commandTimeout?: number;
  lazyConnect?: boolean;
}

/**
 * Connects to the Redis of an address: one server or a cluster.
 * @throws Error when the address is none; it quotes nothing of it
 */
export function openRedisClient(url: string, options: ConnectionOptions): RedisClient {
  const { address, fault } = readRedisAddress(url);
  if (address === undefined) throw new Error(`The address of Redis ${fault}`);
  if (address.kind === 'server') return new Redis(address.url, { ...options, retryStrategy: reconnectDelayMs });
  const { lazyConnect = false, ...ofEachNode } = options;
  const { nodes, tls, username, password } = address;
  return new Cluster(nodes, {
    lazyConnect,
    clusterRetryStrategy: reconnectDelayMs,
    slotsRefreshInterval: REFRESH_SLOTS_EVERY_MS,
    slotsRefreshTimeout: REFRESH_SLOTS_TIMEOUT_MS,
    // A name stays a name, so that it is what TLS compares with the certificate.
    dnsLookup: (name, found) => found(null, name),
    redisOptions: {
      ...ofEachNode,
      ...(username !== null && { username }),
      ...(password !== null && { password }),
      ...(tls && { tls: {} }),
    },
  });
}

/** The one server, or all nodes of the cluster that are known once it is connected. */
export function listServers(client: RedisClient): Redis[] {
  return client instanceof Cluster ? client.nodes() : [client];
}

/** The error of a cluster only says that no node could be asked. Why the last one could not be becomes its cause. */
export function withNodeFault(error: Error): Error {
  const { lastNodeError } = error as { lastNodeError?: unknown };
  if (lastNodeError instanceof Error) error.cause ??= lastNodeError;
  return error;
}
