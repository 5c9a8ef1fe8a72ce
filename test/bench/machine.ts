import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@lockstep/embedded-postgres';
import { Redis } from 'ioredis';
import pg from 'pg';
import { provideRedis } from '../harness/network/redis.ts';
import type { BenchProcess } from './bench-process.ts';

/** The kernel counts processor time in ticks of 10 ms. Linux only. */
const MICROSECONDS_PER_TICK = 10_000;

export type Machine = Awaited<ReturnType<typeof startMachine>>;

/** Starts PostgreSQL and Redis for one run of the benchmark, in their own directory. They end with the run. */
export async function startMachine() {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  const directory = await mkdtemp(join(process.cwd(), '.test-data-bench-'));
  // Retry, because PostgreSQL exits with an interrupted run and may still be removing its own files.
  process.once('exit', () => rmSync(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }));
  const { databaseUrl, stop } = await startEmbeddedPostgres({ directory: join(directory, 'postgres') });
  const superuserUrlOf = (url: string) => {
    const superuser = new URL(url);
    superuser.username = 'postgres';
    superuser.password = readFileSync(join(directory, 'postgres', 'superuser-password'), 'utf8').trim();
    return superuser.href;
  };
  const admin = openPool(superuserUrlOf(databaseUrl), 2);
  const { url: redisUrl, stop: stopRedis } = await provideRedis(directory);
  const redis = new Redis(redisUrl);
  const [, redisPid] = /process_id:(\d+)/.exec(await redis.info('server'))!;
  const [postmasterPid] = readFileSync(join(directory, 'postgres/cluster/postmaster.pid'), 'utf8').split('\n');
  let databases = 0;

  return {
    directory,
    redisUrl,
    superuserUrlOf,
    /** Creates a database from a template. Returns its URL for the role that owns it. */
    async createDatabase(template = 'template0'): Promise<string> {
      const name = `bench_${++databases}`;
      await admin.query(`create database ${name} template ${template} owner lockstep`);
      const url = new URL(databaseUrl);
      url.pathname = `/${name}`;
      return url.href;
    },
    async dropDatabase(url: string) {
      await admin.query(`drop database ${new URL(url).pathname.slice(1)} with (force)`);
    },
    /** Clears Redis and runs a checkpoint, so that earlier work doesn't affect the next measure. */
    async settle() {
      await redis.flushall();
      await admin.query('checkpoint');
    },
    /**
     * Starts to meter the processor time of PostgreSQL, Redis and other processes, and WAL. The returned function
     * returns what each order or call has used since.
     */
    async startMeter(
      processes: Record<string, readonly BenchProcess[]>,
    ): Promise<(orders: number) => Promise<Record<string, number>>> {
      const read = async (): Promise<Record<string, number>> => {
        const text = `select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as bytes`;
        const { rows } = await admin.query<{ bytes: string }>(text);
        const own = Object.entries(processes).map(([name, each]) => [
          `${name} µs`,
          each.reduce((sum, { pid }) => sum + (readTicks(pid)?.own ?? 0), 0) * MICROSECONDS_PER_TICK,
        ]);
        return {
          ...Object.fromEntries(own),
          'PostgreSQL µs': readFamilyMicros(postmasterPid!),
          'Redis µs': readFamilyMicros(redisPid!),
          'WAL bytes': Number(rows[0]!.bytes),
        };
      };
      const before = await read();
      return async (orders) => {
        const after = Object.entries(await read());
        return Object.fromEntries(after.map(([name, total]) => [name, (total - before[name]!) / orders]));
      };
    },
    async [Symbol.asyncDispose]() {
      redis.disconnect();
      await admin.end();
      await stopRedis();
      await stop();
    },
  };
}

/**
 * Opens a pool for the benchmark itself. It ignores connection errors, because dropping a database ends connections
 * that are still closing.
 */
export function openPool(connectionString: string, max: number): pg.Pool {
  const pool = new pg.Pool({ connectionString, max });
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** Reads the ticks of a process, of its children that have exited, and its parent; `undefined` if it has exited. */
function readTicks(pid: number | string): { parentPid: string; own: number; ended: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The program's name, in brackets, may contain spaces, so parse the fields after it.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const ticksAt = (index: number) => Number(fields[index]);
    return { parentPid: fields[1]!, own: ticksAt(11) + ticksAt(12), ended: ticksAt(13) + ticksAt(14) };
  } catch {
    return undefined;
  }
}

/** Returns the processor time of a server and all its children so far, in microseconds, including exited children. */
function readFamilyMicros(pid: string): number {
  const server = readTicks(pid)!;
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const children = processes.map(readTicks).filter((each) => each?.parentPid === pid);
  return children.reduce((sum, child) => sum + child!.own, server.own + server.ended) * MICROSECONDS_PER_TICK;
}
