import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { startEmbeddedPostgres } from '../../apps/cli/src/embedded-postgres.ts';
import { migrate } from '../../apps/cli/src/migrate-all.ts';
import { provideRedis } from './redis.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The PostgreSQL server of this run; every stack makes a database of its own from `template`. */
    postgresUrl: string;
    template: string;
    redisUrl: string;
  }
}

const TEMPLATE = 'lockstep_template';

/** Starts a real PostgreSQL and a real Redis for one run of the suite, in a directory of its own; takes both away. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = join(process.cwd(), '.test-data', String(process.pid));
  await mkdir(directory, { recursive: true, mode: 0o711 });
  const redis = await provideRedis(directory);
  const postgres = await startEmbeddedPostgres({ directory: join(directory, 'postgres') });
  await makeTemplate(postgres.databaseUrl);
  project.provide('postgresUrl', postgres.databaseUrl);
  project.provide('template', TEMPLATE);
  project.provide('redisUrl', redis.url);
  return async () => {
    await redis.stop();
    await postgres.stop();
    await rm(directory, { recursive: true });
  };
}

/** A migrated database, BullMQ's tables included, that stacks are copied from. */
async function makeTemplate(serverUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  await client.query(`create database ${TEMPLATE}`);
  await client.end();
  const url = new URL(serverUrl);
  url.pathname = `/${TEMPLATE}`;
  await migrate(url.href, { kind: 'postgres', url: url.href });
}
