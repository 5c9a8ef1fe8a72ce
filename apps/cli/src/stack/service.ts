import { join } from 'node:path';
import { startApi } from '@lockstep/api';
import { type Config, chooseQueueBackend } from '@lockstep/config';
import { createOrderMetrics } from '@lockstep/orders';
import type { Logger, StartPart } from '@lockstep/platform';
import { startWorker } from '@lockstep/worker';
import { prepareDemo } from './demo.ts';
import { migrateDatabase } from './migrate-database.ts';
import { provideDatabase } from './stack.ts';

/** Runs the whole service on one machine, with its demo (rules 9). */
export async function runService(config: Config, log: Logger, startPart: StartPart) {
  const database = await startPart('PostgreSQL', (stop) => provideDatabase(config, stop));
  const queue = chooseQueueBackend(config, database.url);
  await migrateDatabase(database.url, queue);
  const common = { ...config, DATABASE_URL: database.url, queue, log, metrics: createOrderMetrics() };
  // The worker has the connections that its drains need, and the API answers for its health.
  await startPart('worker', () => startWorker({ ...common, DATABASE_POOL: 0, WORKER_PORT: undefined }));
  const demoFile = join(config.DATA_DIR, 'demo.json');
  let prepared: Awaited<ReturnType<typeof prepareDemo>> | undefined;
  const prepare = async (baseUrl: string) => {
    prepared = await prepareDemo(database.url, demoFile, baseUrl);
    return { appKey: prepared.demo.appKey, file: demoFile };
  };
  const api = await startPart('api', () => startApi({ ...common, prepare }));
  return { database, queue, api, demoFile, ...prepared! };
}
