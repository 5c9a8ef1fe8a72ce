import { join } from 'node:path';
import { startApi } from '@lockstep/api';
import { createOrderMetrics } from '@lockstep/orders';
import {
  type Closable,
  chooseQueueBackend,
  closeAll,
  configOrExit,
  createLogger,
  explainFault,
  readConfig,
  runUntilSignal,
} from '@lockstep/platform';
import { startWorker } from '@lockstep/worker';
import { buildConsole } from './build-console.ts';
import { prepareDemo } from './demo.ts';
import { migrateDatabase } from './migrate-database.ts';
import { say } from './say.ts';
import { provideDatabase } from './stack.ts';

/** `npm start`: everything on one machine (rules 9). */
const config = configOrExit(readConfig);
const log = createLogger({ name: 'lockstep', level: config.LOG_LEVEL ?? 'warn' });

await runUntilSignal(log, async () => {
  const running: Closable[] = [];
  const close = () => closeAll(...running.toReversed().map((part) => part.close));
  try {
    const consoleBuilt = buildConsole();
    const database = await provideDatabase(config);
    running.push(database);
    const queue = chooseQueueBackend(config, database.url);
    await migrateDatabase(database.url, queue);
    const common = {
      databaseUrl: database.url,
      queue,
      log,
      metrics: createOrderMetrics(),
      webhookAllowPrivate: config.WEBHOOK_ALLOW_PRIVATE,
    };
    const {
      WORKER_DRAINS: drains,
      FAILED_ORDER_DAYS: failedOrderDays,
      EVENT_DAYS: eventDays,
      DATABASE_POOL: poolSize,
      HOST: host,
      PORT: port,
      REGION: region,
      publicUrl,
    } = config;
    running.push(await startWorker({ ...common, drains, failedOrderDays, eventDays }));
    const demoFile = join(config.DATA_DIR, 'demo.json');
    const prepare = async (baseUrl: string) => {
      const { appKey, operatorName } = await prepareDemo(database.url, demoFile, baseUrl);
      return { demo: { appKey, operatorName, file: demoFile } };
    };
    const api = await startApi({
      ...common,
      failedOrderDays,
      eventDays,
      poolSize,
      region,
      publicUrl,
      host,
      port,
      prepare,
    });
    running.push(api);
    const fault = await consoleBuilt;
    if (fault !== undefined) process.stderr.write(`The console could not be built: ${fault}\n`);
    say(`PostgreSQL: ${database.description}; queue: BullMQ on ${queue.kind}`);
    say(`Demo credentials: ${demoFile}   API to try: ${api.baseUrl}/docs`);
    say(`Console: ${api.baseUrl}/console   log in with operatorName and operatorPassword of the demo credentials`);
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
  // The embedded PostgreSQL's error says more: it has the end of its log.
  return config.DATABASE_URL === undefined ? message : explainFault(error, config.DATABASE_URL);
}
