import { mkdir, readdir, rm, statfs } from 'node:fs/promises';
import { freemem } from 'node:os';
import { join } from 'node:path';
import { migrateDatabase } from '@lockstep/cli';
import { startEmbeddedPostgres } from '@lockstep/embedded-postgres';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { provideRedis } from './redis.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The PostgreSQL server of this run; every stack makes a database of its own from `template`. */
    postgresUrl: string;
    template: string;
    redisUrl: string;
    /** For files of this run, which go with it. */
    directory: string;
  }
}

const TEMPLATE = 'lockstep_template';

/** Starts a real PostgreSQL and a real Redis for one run of the suite, in a directory of its own; takes both away. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await makeDirectory();
  // Node.js keeps there what it has compiled, so that the many processes of the tests start in half the time.
  process.env.NODE_COMPILE_CACHE ??= join(process.cwd(), 'node_modules', '.cache', 'lockstep-test');
  const redis = await provideRedis(directory);
  const postgres = await startEmbeddedPostgres({ directory: join(directory, 'postgres') });
  await makeTemplate(postgres.databaseUrl);
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
/** Of which PostgreSQL's log may take one. */
const ROOM_BYTES = 3 * 1024 ** 3;

/**
 * A directory in memory, where the machine has room for it: every commit and every new database would wait for a disk.
 * Takes away what runs that were killed have left there.
 */
async function makeDirectory(): Promise<string> {
  const parent = (await hasRoom()) ? MEMORY : join(process.cwd(), '.test-data');
  await mkdir(parent, { recursive: true, mode: 0o711 });
  for (const name of await readdir(parent)) {
    const pid = /^lockstep-test-(\d+)$/.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) await rm(join(parent, name), { recursive: true }).catch(() => {});
  }
  const directory = join(parent, `lockstep-test-${process.pid}`);
  await mkdir(directory, { mode: 0o711 });
  return directory;
}

async function hasRoom(): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(MEMORY);
    return Math.min(bavail * bsize, freemem()) > ROOM_BYTES;
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

/** A migrated database, BullMQ's tables included, that stacks are copied from. */
async function makeTemplate(serverUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  await client.query(`create database ${TEMPLATE}`);
  await client.end();
  const url = new URL(serverUrl);
  url.pathname = `/${TEMPLATE}`;
  await migrateDatabase(url.href, { kind: 'postgres', url: url.href });
}
