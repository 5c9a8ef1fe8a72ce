import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { migrateDatabase } from '@lockstep/cli';
import { startEmbeddedPostgres } from '@lockstep/embedded-postgres';
import { type Database, openDatabase } from '@lockstep/platform';
import { freePort } from '../harness/network/redis.ts';
import { ServiceProcess } from '../harness/processes/service-process.ts';

/** Runs work on an API process, and optionally a worker, with their own PostgreSQL and without Redis. */
export async function withService(
  { hasWorker }: { hasWorker: boolean },
  work: (service: {
    api: ServiceProcess;
    worker: ServiceProcess | undefined;
    env: Record<string, string>;
    baseUrl: string;
    db: Database;
  }) => Promise<void>,
): Promise<void> {
  const directory = await mkdtemp(join(process.cwd(), '.test-data-bench-'));
  const { databaseUrl: url, stop } = await startEmbeddedPostgres({ directory: join(directory, 'postgres') });
  await migrateDatabase(url, { kind: 'postgres', url });
  const db = openDatabase({ url, poolSize: 4, applicationName: 'bench', onError: () => {} });
  const port = await freePort();
  const env = { DATABASE_URL: url, REDIS_URL: '', PORT: String(port) };
  const api = ServiceProcess.api(env);
  const worker = hasWorker ? ServiceProcess.worker(env) : undefined;
  const processes = worker === undefined ? [api] : [api, worker];
  try {
    for (const each of processes) await each.start();
    await work({ api, worker, env, baseUrl: `http://127.0.0.1:${port}`, db });
  } finally {
    await Promise.all(processes.map((each) => each.stop()));
    await db.destroy();
    await stop();
    await rm(directory, { recursive: true });
  }
}
