import { readFileSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@lockstep/embedded-postgres';
import { Redis } from 'ioredis';
import type pg from 'pg';
import { provideRedis } from '../../harness/network/redis.ts';
import { openPool } from '../load/open-pool.ts';
import { readFamilyTime } from './processor-time.ts';

/** Resources used so far: processor time in microseconds, bytes of WAL, and Redis traffic. */
export interface Usage {
  postgresMicros: number;
  redisMicros: number;
  walBytes: number;
  /** Full page images in the WAL, written when a page first changes after a checkpoint. */
  walFullPages: number;
  /** Includes commands that scripts call. */
  redisCommands: number;
  /** Input and output. */
  redisBytes: number;
}

/** PostgreSQL and Redis for one run of the benchmark, in their own directory. */
export class Machine {
  readonly directory: string;
  readonly redisUrl: string;
  readonly #databaseUrl: string;
  readonly #admin: pg.Pool;
  readonly #redis: Redis;
  readonly #postmasterPid: number;
  readonly #redisPid: number;
  readonly #stop: () => Promise<void>;
  #databases = 0;

  private constructor(own: {
    directory: string;
    databaseUrl: string;
    admin: pg.Pool;
    redisUrl: string;
    redis: Redis;
    redisPid: number;
    stop: () => Promise<void>;
  }) {
    this.directory = own.directory;
    this.redisUrl = own.redisUrl;
    this.#databaseUrl = own.databaseUrl;
    this.#admin = own.admin;
    this.#redis = own.redis;
    this.#redisPid = own.redisPid;
    this.#postmasterPid = Number(
      readFileSync(join(own.directory, 'postgres', 'cluster', 'postmaster.pid'), 'utf8').split('\n')[0],
    );
    this.#stop = own.stop;
  }

  static async start(): Promise<Machine> {
    const directory = await mkdtemp(join(process.cwd(), '.test-data-bench-'));
    // For interrupted runs. Retry, because PostgreSQL exits with this process and may still be removing its own files.
    process.once('exit', () => rmSync(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }));
    const postgres = await startEmbeddedPostgres({ directory: join(directory, 'postgres') });
    const { url: redisUrl, stop: stopRedis } = await provideRedis(directory);
    const redis = new Redis(redisUrl);
    const [, redisPid] = /process_id:(\d+)/.exec(await redis.info('server')) ?? [];
    const admin = openPool(superuserUrl(postgres.databaseUrl, directory), 2);
    const stop = async () => {
      redis.disconnect();
      await admin.end();
      await stopRedis();
      await postgres.stop();
      await rm(directory, { recursive: true });
    };
    const { databaseUrl } = postgres;
    return new Machine({ directory, databaseUrl, admin, redisUrl, redis, redisPid: Number(redisPid), stop });
  }

  /** Creates a database from a template. Returns its URL for the role that owns it. */
  async createDatabase(template = 'template0'): Promise<string> {
    const name = `bench_${++this.#databases}`;
    await this.#admin.query(`create database ${name} template ${template} owner lockstep`);
    return this.urlOf(name);
  }

  urlOf(name: string): string {
    const url = new URL(this.#databaseUrl);
    url.pathname = `/${name}`;
    return url.href;
  }

  /** The directory and a URL of its PostgreSQL, for creating a standby. */
  get primary(): { directory: string; databaseUrl: string } {
    return { directory: join(this.directory, 'postgres'), databaseUrl: this.#databaseUrl };
  }

  /** Runs a statement as PostgreSQL's superuser. */
  async administer<Row extends pg.QueryResultRow>(sql: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.#admin.query<Row>(sql, values)).rows;
  }

  /** Returns a database's URL for PostgreSQL's superuser. */
  superuserUrlOf(url: string): string {
    return superuserUrl(url, this.directory);
  }

  async dropDatabase(url: string): Promise<void> {
    await this.#admin.query(`drop database ${new URL(url).pathname.slice(1)} with (force)`);
  }

  /** Clears Redis and runs a checkpoint, so that earlier work doesn't affect the next measure. */
  async settle(): Promise<void> {
    await this.#redis.flushall();
    await this.#admin.query('checkpoint');
  }

  async readUsage(): Promise<Usage> {
    const { rows } = await this.#admin.query<{ bytes: string; pages: string }>(
      `select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as bytes, wal_fpi as pages from pg_stat_wal`,
    );
    const redis = await this.#redis.info('stats');
    const redisCount = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(redis)![1]);
    return {
      postgresMicros: readFamilyTime(this.#postmasterPid),
      redisMicros: readFamilyTime(this.#redisPid),
      walBytes: Number(rows[0]!.bytes),
      walFullPages: Number(rows[0]!.pages),
      redisCommands: redisCount('total_commands_processed'),
      redisBytes: redisCount('total_net_input_bytes') + redisCount('total_net_output_bytes'),
    };
  }

  stop(): Promise<void> {
    return this.#stop();
  }
}

function superuserUrl(databaseUrl: string, directory: string): string {
  const url = new URL(databaseUrl);
  url.username = 'postgres';
  url.password = readFileSync(join(directory, 'postgres', 'superuser-password'), 'utf8').trim();
  return url.href;
}
