import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { migrateDatabase } from '@lockstep/cli';
import { backUpCluster, type EmbeddedPostgres, startEmbeddedPostgres } from '@lockstep/embedded-postgres';
import pg from 'pg';
import { inject, vi } from 'vitest';
import { freePort } from '../network/redis.ts';
import { listProcesses } from '../processes/processes.ts';
import { Pause, signalAll } from './pause.ts';

const servers = new Set<PostgresServer>();

/**
 * One of several PostgreSQL servers, with its own directory and a fixed port. It ends with the test run, even if that
 * is killed.
 */
export class PostgresServer {
  /** The name by which its primary knows it. */
  readonly name: string;
  readonly port: number;
  readonly #directory: string;
  #running: EmbeddedPostgres | undefined;
  #pause: Pause | undefined;
  #databaseUrl = '';

  constructor(name: string, port: number) {
    this.name = name;
    this.port = port;
    this.#directory = mkdtempSync(join(inject('directory'), `${name}-`));
    // If the tests run as root, PostgreSQL's user must be able to traverse the directory.
    chmodSync(this.#directory, 0o711);
    servers.add(this);
  }

  /** For the role and database `lockstep`. Constant, and the same on every server except for the port. */
  get databaseUrl(): string {
    return this.#databaseUrl;
  }

  /** For PostgreSQL's superuser, on the same database. */
  get superuserUrl(): string {
    const url = new URL(this.#databaseUrl);
    url.username = 'postgres';
    url.password = readFileSync(join(this.#directory, 'superuser-password'), 'utf8').trim();
    return url.href;
  }

  /** Its log so far. */
  get log(): string {
    return readFileSync(join(this.#directory, 'postgres.log'), 'utf8');
  }

  /** Starts the server and waits until it answers. */
  async start(): Promise<void> {
    this.#running = await startEmbeddedPostgres({ directory: this.#directory, port: this.port });
    this.#databaseUrl = this.#running.databaseUrl;
  }

  /** Kills all its processes at once, like a power failure. */
  async kill(): Promise<void> {
    // The first one is the server itself: once it is dead, no process can start.
    signalAll(this.#pids(), 'SIGKILL');
    this.resume();
    await this.#running?.stop();
    this.#running = undefined;
  }

  /** Pauses all its processes: connections stay open, and nothing answers. */
  pause(): void {
    this.#pause ??= new Pause(this.#pids());
  }

  /** Continues after a pause. */
  resume(): void {
    this.#pause?.end();
    this.#pause = undefined;
  }

  /** Promotes a standby, and waits until it is a primary. */
  async promote(): Promise<void> {
    await this.query('select pg_promote(wait => true)');
  }

  /** Runs a statement as the superuser, on its own connection. */
  async query<Row extends pg.QueryResultRow>(sql: string, values: unknown[] = []): Promise<Row[]> {
    const client = new pg.Client({ connectionString: this.superuserUrl, application_name: 'test-superuser' });
    // If the server is killed meanwhile, the statement fails.
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query<Row>(sql, values)).rows;
    } finally {
      await client.end();
    }
  }

  /** Copies the primary's data and starts as its standby. Does not wait for streaming. */
  async startAsStandbyOf(primary: PostgresServer): Promise<void> {
    const cluster = join(this.#directory, 'cluster');
    await copyCluster(primary.#directory, primary.databaseUrl, cluster);
    copyFileSync(join(primary.#directory, 'superuser-password'), join(this.#directory, 'superuser-password'));
    // The copy also has the primary's settings. A standby that is promoted must not wait for standbys.
    const follow = `primary_conninfo = '${describePrimary(primary.superuserUrl, this.name)}'\n`;
    writeClusterFile(join(cluster, 'postgresql.auto.conf'), follow);
    writeClusterFile(join(cluster, 'standby.signal'), '');
    await this.start();
  }

  /** Stops the server and removes its directory. */
  async remove(): Promise<void> {
    if (this.#running !== undefined) await this.kill();
    await rm(this.#directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    servers.delete(this);
  }

  /** The server's own process, then its sessions and helpers. */
  #pids(): number[] {
    const own = Number.parseInt(readFileSync(join(this.#directory, 'cluster', 'postmaster.pid'), 'utf8'), 10);
    return [own, ...listProcesses().flatMap(({ pid, parent }) => (parent === own ? [pid] : []))];
  }
}

/** Starts a PostgreSQL that others can follow, with the tables of this release. */
export async function startPrimary(): Promise<PostgresServer> {
  const primary = new PostgresServer('primary', await freePort());
  await primary.start();
  await migrateDatabase(primary.databaseUrl, { kind: 'postgres', url: primary.databaseUrl });
  return primary;
}

/** Starts a standby that commits on the primary wait for from now on. */
export async function addStandby(primary: PostgresServer): Promise<PostgresServer> {
  const standby = new PostgresServer(`standby_${servers.size}`, await freePort());
  await standby.startAsStandbyOf(primary);
  await untilFollowing(primary, standby, "state = 'streaming'");
  await primary.query(`alter system set synchronous_standby_names = '${standby.name}'`);
  await primary.query('select pg_reload_conf()');
  await untilFollowing(primary, standby, "sync_state = 'sync'");
  return standby;
}

/** Stops all servers and removes their directories, for `afterAll`. */
export async function removeServers(): Promise<void> {
  await Promise.all([...servers].map((server) => server.remove()));
}

const TO_FOLLOW = { timeout: 60_000, interval: 50 };

async function untilFollowing(primary: PostgresServer, standby: PostgresServer, condition: string): Promise<void> {
  await vi.waitFor(async () => {
    const rows = await primary.query(`select from pg_stat_replication where application_name = $1 and ${condition}`, [
      standby.name,
    ]);
    if (rows.length === 0)
      throw new Error(`${standby.name} does not follow; the end of its log:\n${standby.log.slice(-2_000)}`);
  }, TO_FOLLOW);
}

/** Writes a base backup of the server in `directory` to a new directory, owned by the user of the source. */
async function copyCluster(directory: string, databaseUrl: string, cluster: string): Promise<void> {
  mkdirSync(cluster, { mode: 0o700 });
  const { uid, gid } = statSync(join(directory, 'cluster'));
  chownSync(cluster, uid, gid);
  // As root, tar gives each file the owner that it has in the source.
  const tar = spawn('tar', ['--extract', '--numeric-owner', '--file=-', `--directory=${cluster}`], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const ended = once(tar, 'exit');
  // If tar ends early, its exit status says so.
  tar.stdin.on('error', () => {});
  await backUpCluster(directory, databaseUrl, (part) => void tar.stdin.write(Buffer.from(part)));
  tar.stdin.end();
  const [status] = await ended;
  if (status !== 0) throw new Error(`tar ended with status ${status}`);
}

/** Returns the connection string with which a standby, under this name, follows the primary of a superuser URL. */
function describePrimary(superuserUrl: string, name: string): string {
  const { username, password, hostname, port } = new URL(superuserUrl);
  const parts = { host: hostname, port, user: username, password, application_name: name, sslmode: 'disable' };
  return Object.entries(parts)
    .map(([key, value]) => `${key}=${value}`)
    .join(' ');
}

/** Writes a file of a cluster, owned by the user of the cluster. */
function writeClusterFile(file: string, text: string): void {
  writeFileSync(file, text, { mode: 0o600 });
  const { uid, gid } = statSync(dirname(file));
  chownSync(file, uid, gid);
}
