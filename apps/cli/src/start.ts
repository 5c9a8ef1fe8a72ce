import { join } from 'node:path';
import { startApi } from '@lockstep/api';
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
import { startWorker } from '@lockstep/worker';
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
    const db = openDatabase({
      url: database.url,
      poolSize: config.DATABASE_POOL,
      applicationName: 'lockstep',
      onError: (error) => log.warn({ err: error }, 'database connection failed'),
    });
    running.push({ close: () => db.destroy() });
    const metrics = createMetrics(() => readBacklog(db));
    running.push(await startWorker({ db, queue, log, metrics, drains: config.WORKER_DRAINS }));
    const { HOST: host, PORT: port, DATA_DIR } = config;
    const api = await startApi({ db, databaseUrl: database.url, queue, log, metrics, host, port });
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
