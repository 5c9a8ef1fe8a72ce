import { join } from 'node:path';
import { API_QUERY_TIMEOUT_MS, SYNC_CONNECTIONS, SYNC_QUERY_TIMEOUT_MS, startApi } from '@lockstep/api';
import { readBacklog } from '@lockstep/orders';
import {
  type Closable,
  closeAll,
  configOrExit,
  createLogger,
  createMetrics,
  openDatabase,
  queueBackendOf,
  readConfig,
  runUntilSignal,
} from '@lockstep/platform';
import { startWorker, WORKER_SPARE_CONNECTIONS } from '@lockstep/worker';
import { prepareDemo } from './demo.ts';
import { migrate } from './migrate-all.ts';
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
    await migrate(database.url, queue);
    const open = (applicationName: string, poolSize: number, queryTimeoutMs?: number) => {
      const onError = (error: Error) => log.warn({ err: error }, 'database connection failed');
      const timeout = queryTimeoutMs === undefined ? {} : { queryTimeoutMs };
      const db = openDatabase({ url: database.url, poolSize, applicationName, onError, ...timeout });
      running.push({ close: () => db.destroy() });
      return db;
    };
    const workerDb = open('lockstep-worker', config.WORKER_DRAINS + WORKER_SPARE_CONNECTIONS);
    const db = open('lockstep-api', config.DATABASE_POOL, API_QUERY_TIMEOUT_MS);
    const syncDb = open('lockstep-sync', SYNC_CONNECTIONS, SYNC_QUERY_TIMEOUT_MS);
    const metrics = createMetrics(() => readBacklog(db));
    running.push(await startWorker({ db: workerDb, queue, log, metrics, drains: config.WORKER_DRAINS }));
    const { HOST: host, PORT: port, REGION: region, DATA_DIR } = config;
    const api = await startApi({ db, syncDb, databaseUrl: database.url, queue, log, metrics, region, host, port });
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
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return `${config.HOST}:${config.PORT} is in use. Set PORT to another port.`;
  return message;
}
