import { join } from 'node:path';
import { API_QUERY_TIMEOUT_MS, LANES_POOL, startApi } from '@lockstep/api';
import { readBacklog } from '@lockstep/orders';
import {
  type Closable,
  closeAll,
  configOrExit,
  createLogger,
  createMetrics,
  explainFault,
  openDatabase,
  queueBackendOf,
  readConfig,
  runUntilSignal,
} from '@lockstep/platform';
import { startWorker, WORKER_LOCK_TIMEOUT_MS, WORKER_SPARE_CONNECTIONS } from '@lockstep/worker';
import { prepareDemo } from './demo.ts';
import { migrateDatabase } from './migrate-database.ts';
import { say } from './say.ts';
import { provideDatabase } from './stack.ts';

/** `npm start`: everything on one machine (decisions 9). */
const config = configOrExit(readConfig);
const log = createLogger({ name: 'lockstep', level: config.LOG_LEVEL ?? 'warn' });

await runUntilSignal(log, async () => {
  const running: Closable[] = [];
  const close = () => closeAll(...running.toReversed().map((part) => part.close));
  try {
    const database = await provideDatabase(config);
    running.push(database);
    const queue = queueBackendOf(config, database.url);
    await migrateDatabase(database.url, queue);
    const open = (
      applicationName: string,
      bounds: { poolSize: number; queryTimeoutMs?: number; lockTimeoutMs?: number },
    ) => {
      const onError = (error: Error) => log.warn({ err: error }, 'database connection failed');
      const db = openDatabase({ url: database.url, applicationName, onError, ...bounds });
      running.push({ close: () => db.destroy() });
      return db;
    };
    const workerDb = open('lockstep-worker', {
      poolSize: config.WORKER_DRAINS + WORKER_SPARE_CONNECTIONS,
      lockTimeoutMs: WORKER_LOCK_TIMEOUT_MS,
    });
    const db = open('lockstep-api', { poolSize: config.DATABASE_POOL, queryTimeoutMs: API_QUERY_TIMEOUT_MS });
    const lanesDb = open('lockstep-lanes', LANES_POOL);
    const metrics = createMetrics(() => readBacklog(db));
    running.push(await startWorker({ db: workerDb, queue, log, metrics, drains: config.WORKER_DRAINS }));
    const { HOST: host, PORT: port, REGION: region, publicUrl, DATA_DIR } = config;
    const place = { publicUrl, host, port };
    const api = await startApi({ db, lanesDb, databaseUrl: database.url, queue, log, metrics, region, ...place });
    running.push(api);
    const demoFile = join(DATA_DIR, 'demo.json');
    await prepareDemo(db, demoFile, api.baseUrl);
    say(`PostgreSQL: ${database.description}; queue: BullMQ on ${queue.kind}`);
    say(`Demo credentials: ${demoFile}   API description: ${api.baseUrl}/docs`);
    say(`Lockstep is ready at ${api.baseUrl}`);
    return { close };
  } catch (error) {
    await close();
    process.stderr.write(`Lockstep could not start: ${explain(error)}\n`);
    process.exit(1);
  }
});

function explain(error: unknown): string {
  const { message } = error as Error;
  // A PostgreSQL of its own says more, with the end of its log.
  return config.DATABASE_URL === undefined ? message : explainFault(error, config.DATABASE_URL);
}
