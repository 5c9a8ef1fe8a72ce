import { execFileSync } from 'node:child_process';
import { mkdir, readdir, rm, statfs } from 'node:fs/promises';
import { freemem } from 'node:os';
import { join } from 'node:path';
import { migrateDatabase } from '@lockstep/cli';
import { startEmbeddedPostgres } from '@lockstep/embedded-postgres';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { provideRedis } from './network/redis.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The PostgreSQL server of this run. Every stack creates its database from `template`. */
    postgresUrl: string;
    template: string;
    redisUrl: string;
    /** For files of this run, which removes it at its end. */
    directory: string;
  }
}

const TEMPLATE = 'lockstep_template';

/**
 * Starts a real PostgreSQL and a real Redis for one run of the suite, in its own directory, and removes both
 * afterwards.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await createDirectory();
  // Node.js caches compiled modules there, so that the tests' many processes start in half the time.
  process.env.NODE_COMPILE_CACHE ??= join(process.cwd(), 'node_modules', '.cache', 'lockstep-test');
  // Tests see the console as its sources are now.
  execFileSync(process.execPath, ['apps/console/build.ts', '--if-needed']);
  const redis = await provideRedis(directory);
  const postgres = await startEmbeddedPostgres({ directory: join(directory, 'postgres') });
  await createTemplate(postgres.databaseUrl);
  project.provide('postgresUrl', postgres.databaseUrl);
  project.provide('template', TEMPLATE);
  project.provide('redisUrl', redis.url);
  project.provide('directory', directory);
  return async () => {
    await redis.stop();
    await postgres.stop();
    await rm(directory, { recursive: true });
  };
}

const MEMORY = '/dev/shm';
/** Enough free memory; PostgreSQL's log may take a third of it. */
const FREE_BYTES = 3 * 1024 ** 3;

/**
 * Creates a directory in memory if the machine has enough, because on a disk every commit and every new database would
 * wait. Removes what killed runs left there.
 */
async function createDirectory(): Promise<string> {
  const parent = (await hasFreeMemory()) ? MEMORY : join(process.cwd(), '.test-data');
  await mkdir(parent, { recursive: true, mode: 0o711 });
  for (const name of await readdir(parent)) {
    const pid = /^lockstep-test-(\d+)$/.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) await rm(join(parent, name), { recursive: true }).catch(() => {});
  }
  const directory = join(parent, `lockstep-test-${process.pid}`);
  await mkdir(directory, { mode: 0o711 });
  return directory;
}

async function hasFreeMemory(): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(MEMORY);
    return Math.min(bavail * bsize, freemem()) > FREE_BYTES;
  } catch {
    // Not on Linux.
    return false;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Creates a migrated database, with BullMQ's tables, from which stacks are copied. */
async function createTemplate(serverUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  await client.query(`create database ${TEMPLATE}`);
  await client.end();
  const url = new URL(serverUrl);
  url.pathname = `/${TEMPLATE}`;
  await migrateDatabase(url.href, { kind: 'postgres', url: url.href });
}
