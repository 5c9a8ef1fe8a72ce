import { type ChildProcess, execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { vi } from 'vitest';
import { findRedisServer, freePort } from '../harness/network/redis.ts';
import { startBoundProcess } from '../harness/processes/bound-process.ts';

const MASTERS = 3;
const PASSWORD = 'cluster-secret';
const PATIENTLY = { timeout: 60_000, interval: 50 };

/** Options of each redis-server. A node that is silent for a second is failed; elections take about as long again. */
const OPTIONS = `--bind 127.0.0.1 --cluster-enabled yes --cluster-config-file nodes.conf --cluster-node-timeout 1000
  --requirepass ${PASSWORD} --masterauth ${PASSWORD} --repl-diskless-sync-delay 0 --loglevel warning`;

/** A redis-server of the cluster that can be killed and restarted. */
export class ClusterNode {
  readonly port: number;
  readonly busPort: number;
  readonly #directory: string;
  #server: ChildProcess | undefined;
  #hangs = false;

  constructor(port: number, busPort: number, directory: string) {
    this.port = port;
    this.busPort = busPort;
    this.#directory = directory;
  }

  /** Whether it is running: started, neither killed nor hanging. */
  get answers(): boolean {
    return this.#server !== undefined && !this.#hangs;
  }

  /** Starts it and waits until it answers. */
  async start(): Promise<void> {
    await mkdir(this.#directory, { recursive: true });
    const own = ['--port', `${this.port}`, '--cluster-port', `${this.busPort}`, '--dir', this.#directory, '--save', ''];
    this.#server = startBoundProcess([findRedisServer(), ...own, ...OPTIONS.split(/\s+/)]);
    const ended = once(this.#server, 'exit').then(([code]) => {
      throw new Error(`redis-server ended with status ${code}`);
    });
    ended.catch(() => {});
    await Promise.race([vi.waitFor(() => this.ask('PING'), PATIENTLY), ended]);
  }

  /** Sends one command. */
  async ask(...[command = '', ...args]: (string | number)[]): Promise<unknown> {
    const redis = new Redis(this.port, '127.0.0.1', {
      password: PASSWORD,
      maxRetriesPerRequest: 0,
      retryStrategy: () => null,
      commandTimeout: 10_000,
      lazyConnect: true,
    });
    redis.on('error', () => {});
    try {
      await redis.connect();
      return await redis.call(`${command}`, ...args);
    } finally {
      redis.disconnect();
    }
  }

  /** Kills it at once, like a power failure. */
  async kill(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server?.kill('SIGKILL')) await once(server, 'exit');
  }

  /** Makes it hang with its connections open, like a machine that hangs, or continues it. */
  hang(hangs: boolean): void {
    this.#server?.kill(hangs ? 'SIGSTOP' : 'SIGCONT');
    this.#hangs = hangs;
  }
}

/** A Redis Cluster of three masters with one replica each, on loopback. Its servers never outlive the test run. */
export class RedisCluster {
  /** The password, which no log may contain. */
  readonly password = PASSWORD;
  readonly #nodes: readonly ClusterNode[];

  private constructor(nodes: readonly ClusterNode[]) {
    this.#nodes = nodes;
  }

  /** Starts a cluster below a directory, and waits until it serves all slots. */
  static async start(directory: string): Promise<RedisCluster> {
    const nodes: ClusterNode[] = [];
    for (let index = 0; index < 2 * MASTERS; index++) {
      const port = await freePort();
      nodes.push(new ClusterNode(port, await freePort(), join(directory, `node-${port}`)));
    }
    const cluster = new RedisCluster(nodes);
    try {
      await Promise.all(nodes.map((node) => node.start()));
      const addresses = nodes.map(({ port, busPort }) => `127.0.0.1:${port}@${busPort}`);
      const options = ['-a', PASSWORD, '--cluster-replicas', '1', '--cluster-yes'];
      await promisify(execFile)('redis-cli', ['--cluster', 'create', ...addresses, ...options]);
      await cluster.untilWhole();
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    return cluster;
  }

  /** REDIS_URL: three of the nodes, by address and password. */
  get url(): string {
    const hosts = this.#nodes.slice(1, 4).map(({ port }) => `127.0.0.1:${port}`);
    return `redis://:${PASSWORD}@${hosts.join()}`;
  }

  /** Waits until each node reports that all slots are served, and each master has a replica that follows it. */
  async untilWhole(): Promise<void> {
    await vi.waitFor(async () => {
      const told = await Promise.all(
        this.#nodes.map(async (node) => `${await node.ask('CLUSTER', 'INFO')}${await node.ask('INFO', 'replication')}`),
      );
      const whole = told.filter((text) => text.includes('cluster_state:ok')).length;
      const following = told.filter((text) => text.includes('master_link_status:up')).length;
      if (whole < this.#nodes.length || following < MASTERS) {
        throw new Error(`${whole} nodes see all slots, ${following} replicas follow their master`);
      }
    }, PATIENTLY);
  }

  /** Returns the node that answers to a key: the master of its slot. Rejects if there is none. */
  async masterOf(key: string): Promise<ClusterNode> {
    for (const node of this.#nodes) {
      if (!node.answers) continue;
      const isMaster = await node.ask('TYPE', key).then(
        () => true,
        () => false,
      );
      if (isMaster) return node;
    }
    throw new Error(`No master has the slot of ${key}`);
  }

  /** Returns the masters of the other slots than that of a key. */
  async otherMastersThan(key: string): Promise<ClusterNode[]> {
    const master = await this.masterOf(key);
    const roles = await Promise.all(this.#nodes.map(async (node) => (await node.ask('ROLE')) as [string]));
    return this.#nodes.filter((node, index) => node !== master && roles[index]![0] === 'master');
  }

  /**
   * Moves the slot of a key, with all its keys, to another master while the cluster is in use, like redis-cli. Returns
   * how many keys moved.
   */
  async moveSlotOf(key: string, to: ClusterNode): Promise<number> {
    const from = await this.masterOf(key);
    const slot = Number(await to.ask('CLUSTER', 'KEYSLOT', key));
    const [fromId, toId] = [String(await from.ask('CLUSTER', 'MYID')), String(await to.ask('CLUSTER', 'MYID'))];
    await to.ask('CLUSTER', 'SETSLOT', slot, 'IMPORTING', fromId);
    await from.ask('CLUSTER', 'SETSLOT', slot, 'MIGRATING', toId);
    let moved = 0;
    for (;;) {
      const keys = (await from.ask('CLUSTER', 'GETKEYSINSLOT', slot, 100)) as string[];
      if (keys.length === 0) break;
      await from.ask('MIGRATE', '127.0.0.1', to.port, '', 0, 5_000, 'AUTH', PASSWORD, 'KEYS', ...keys);
      moved += keys.length;
    }
    for (const node of [to, from]) await node.ask('CLUSTER', 'SETSLOT', slot, 'NODE', toId);
    return moved;
  }

  /** Kills all its servers. */
  async stop(): Promise<void> {
    await Promise.all(this.#nodes.map((node) => node.kill()));
  }
}
