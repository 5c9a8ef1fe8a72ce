import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Redis } from 'ioredis';
import { vi } from 'vitest';
import { findRedisServer, freePort } from './redis.ts';

const SLOTS = 16_384;
const MASTERS = 3;

/** How long a node may be silent before the others consider it failed. Elections take about as long again. */
const NODE_TIMEOUT_MS = 1_000;
const PASSWORD = 'cluster-secret';

/** Ends the server when its standard input ends, so that it never outlives its starter. */
const WITH_WATCHDOG = '"$@" & echo $!; read -r _; kill -9 $! 2>/dev/null; wait $!';

/** A redis-server of the cluster that can be killed and restarted. */
export class ClusterNode {
  readonly port: number;
  readonly #busPort: number;
  readonly #directory: string;
  readonly #options: readonly string[];
  #watchdog: ChildProcess | undefined;
  #pid = 0;
  #hangs = false;
  /** The node's permanent id in the cluster. */
  id = '';

  constructor(port: number, busPort: number, directory: string, options: readonly string[]) {
    this.port = port;
    this.#busPort = busPort;
    this.#directory = directory;
    this.#options = options;
  }

  /** The arguments of `cluster meet`. */
  get address(): [host: string, port: number, busPort: number] {
    return ['127.0.0.1', this.port, this.#busPort];
  }

  /** Whether it is running: started, neither killed nor hanging. */
  get answers(): boolean {
    return this.#watchdog !== undefined && !this.#hangs;
  }

  /** Starts it and waits until it answers. */
  async start(): Promise<void> {
    await mkdir(this.#directory, { recursive: true });
    const command = [
      findRedisServer(),
      '--port',
      `${this.port}`,
      '--cluster-port',
      `${this.#busPort}`,
      '--bind',
      '127.0.0.1',
      '--dir',
      this.#directory,
      '--save',
      '',
      '--cluster-enabled',
      'yes',
      '--cluster-config-file',
      'nodes.conf',
      '--cluster-node-timeout',
      `${NODE_TIMEOUT_MS}`,
      '--requirepass',
      PASSWORD,
      '--masterauth',
      PASSWORD,
      '--repl-diskless-sync-delay',
      '0',
      '--loglevel',
      'warning',
      ...this.#options,
    ];
    const watchdog = spawn('sh', ['-c', WITH_WATCHDOG, 'sh', ...command], {
      stdio: ['pipe', 'pipe', 'ignore'],
      detached: true,
    });
    this.#watchdog = watchdog;
    const [line] = (await once(createInterface({ input: watchdog.stdout }), 'line')) as [string];
    this.#pid = Number(line);
    const ended = once(watchdog, 'exit').then(([code]) => {
      throw new Error(`redis-server ended with status ${code}`);
    });
    ended.catch(() => {});
    await Promise.race([vi.waitFor(() => this.ask('PING'), { timeout: 60_000, interval: 20 }), ended]);
    this.id = await this.ask('CLUSTER', 'MYID');
  }

  /** Sends one command. */
  async ask(...[command = '', ...args]: (string | number)[]): Promise<string> {
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
      return (await redis.call(`${command}`, ...args)) as string;
    } finally {
      redis.disconnect();
    }
  }

  /** Kills it at once, like a power failure. */
  async kill(): Promise<void> {
    const watchdog = this.#watchdog;
    if (watchdog === undefined) return;
    this.#watchdog = undefined;
    const gone = watchdog.exitCode === null ? once(watchdog, 'exit') : undefined;
    if (this.#pid > 0) process.kill(this.#pid, 'SIGKILL');
    watchdog.stdin?.end();
    await gone;
  }

  /** Makes it hang with its connections open, like a machine that hangs, or continues it. */
  hang(hangs: boolean): void {
    process.kill(this.#pid, hangs ? 'SIGSTOP' : 'SIGCONT');
    this.#hangs = hangs;
  }
}

/** A Redis Cluster of three masters with one replica each, on loopback. Its servers never outlive the test run. */
export class RedisCluster {
  readonly nodes: readonly ClusterNode[];

  private constructor(nodes: readonly ClusterNode[]) {
    this.nodes = nodes;
  }

  /**
   * Starts a cluster below a directory, and waits until all nodes know each other. `options` are additional options of
   * each redis-server.
   */
  static async start(directory: string, options: readonly string[] = []): Promise<RedisCluster> {
    const nodes: ClusterNode[] = [];
    for (let index = 0; index < 2 * MASTERS; index++) {
      const [port, busPort] = [await freePort(), await freePort()];
      nodes.push(new ClusterNode(port, busPort, join(directory, `node-${port}`), options));
    }
    const cluster = new RedisCluster(nodes);
    try {
      await Promise.all(nodes.map((node) => node.start()));
      await cluster.#form();
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    return cluster;
  }

  /** REDIS_URL: two masters and a replica, by address and password. */
  get url(): string {
    return `redis://:${PASSWORD}@${this.nodes
      .slice(1, 4)
      .map((node) => `127.0.0.1:${node.port}`)
      .join()}`;
  }

  /** The password, which no log may contain. */
  get password(): string {
    return PASSWORD;
  }

  async #form(): Promise<void> {
    const [first, ...others] = this.nodes;
    const masters = this.nodes.slice(0, MASTERS);
    await Promise.all(
      masters.map(async (node, index) => {
        const [from, to] = [index, index + 1].map((part) => Math.ceil((part * SLOTS) / MASTERS));
        await node.ask('CLUSTER', 'SET-CONFIG-EPOCH', index + 1);
        await node.ask('CLUSTER', 'ADDSLOTSRANGE', from!, to! - 1);
      }),
    );
    for (const other of others) await first!.ask('CLUSTER', 'MEET', ...other.address);
    await this.#untilAllSay(/cluster_known_nodes:6\b/);
    await Promise.all(
      this.nodes.slice(MASTERS).map(async (node, index) => {
        const replicate = () => node.ask('CLUSTER', 'REPLICATE', masters[index]!.id);
        await vi.waitFor(replicate, { timeout: 60_000, interval: 50 });
      }),
    );
    await this.untilWhole();
  }

  /** Waits until each node reports that all slots are served, and each master has a replica that follows it. */
  async untilWhole(): Promise<void> {
    await this.#untilAllSay(/cluster_state:ok/);
    await vi.waitFor(
      async () => {
        const told = await Promise.all(this.nodes.map((node) => node.ask('INFO', 'replication')));
        const following = told.filter((text) => text.includes('master_link_status:up')).length;
        if (following !== this.nodes.length - MASTERS) throw new Error(`${following} replicas follow their master`);
      },
      { timeout: 60_000, interval: 50 },
    );
  }

  async #untilAllSay(pattern: RegExp): Promise<void> {
    await vi.waitFor(
      async () => {
        for (const node of this.nodes) {
          const told = await node.ask('CLUSTER', 'INFO');
          if (!pattern.test(told)) throw new Error(`${node.port} does not say ${pattern}: ${told}`);
        }
      },
      { timeout: 60_000, interval: 50 },
    );
  }

  /** The slot of a key. */
  async slotOf(key: string): Promise<number> {
    return Number(await this.nodes[0]!.ask('CLUSTER', 'KEYSLOT', key));
  }

  /**
   * Returns the master of a slot according to the first node that knows one, which may be outdated. Rejects if no node
   * knows one.
   */
  async masterOf(slot: number): Promise<ClusterNode> {
    for (const node of this.nodes.filter(({ answers }) => answers)) {
      const table = await node.ask('CLUSTER', 'NODES').catch(() => '');
      for (const line of table.split('\n')) {
        const [id, , flags = '', , , , , ...ranges] = line.trim().split(' ');
        const isMaster = /\bmaster\b/.test(flags) && !/fail/.test(flags);
        const has = ranges.some((range) => {
          const [from, to = from] = range.split('-').map(Number);
          return from! <= slot && slot <= to!;
        });
        const found = this.nodes.find((each) => each.id === id);
        if (isMaster && has && found !== undefined) return found;
      }
    }
    throw new Error(`No master has slot ${slot}`);
  }

  /** Returns the masters when all slots are served. */
  async masters(): Promise<ClusterNode[]> {
    const slots = [0, SLOTS / 2, SLOTS - 1];
    return await Promise.all(slots.map((slot) => this.masterOf(slot)));
  }

  /**
   * Moves a slot with its keys to another master while the cluster is in use, like redis-cli. Returns how many keys
   * moved.
   */
  async moveSlot(slot: number, to: ClusterNode): Promise<number> {
    const from = await this.masterOf(slot);
    await to.ask('CLUSTER', 'SETSLOT', slot, 'IMPORTING', from.id);
    await from.ask('CLUSTER', 'SETSLOT', slot, 'MIGRATING', to.id);
    let moved = 0;
    for (;;) {
      const keys = (await from.ask('CLUSTER', 'GETKEYSINSLOT', slot, 100)) as unknown as string[];
      if (keys.length === 0) break;
      await from.ask('MIGRATE', '127.0.0.1', to.port, '', 0, 5_000, 'AUTH', PASSWORD, 'KEYS', ...keys);
      moved += keys.length;
    }
    for (const node of [to, from, ...(await this.masters())]) await node.ask('CLUSTER', 'SETSLOT', slot, 'NODE', to.id);
    return moved;
  }

  /** Kills all its servers. */
  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.kill()));
  }
}
