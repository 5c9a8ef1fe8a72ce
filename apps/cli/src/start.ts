import { join } from 'node:path';
import { startApi } from '@lockstep/api';
import { chooseQueueBackend, configOrExit, readConfig, SECRET_KEYS } from '@lockstep/config';
import { LINK_MINUTES } from '@lockstep/operators';
import { createOrderMetrics } from '@lockstep/orders';
import { createLogger, explainFault, runUntilSignal, type StartPart } from '@lockstep/platform';
import { startWorker } from '@lockstep/worker';
import { say, sayAside } from './output/terminal.ts';
import { buildConsole } from './stack/build-console.ts';
import { prepareDemo } from './stack/demo.ts';
import { migrateDatabase } from './stack/migrate-database.ts';
import { provideDatabase } from './stack/stack.ts';

/** `npm start`: runs everything on one machine (rules 9). */
const config = configOrExit(readConfig);
const log = createLogger({ name: 'lockstep', level: config.LOG_LEVEL ?? 'warn', secrets: SECRET_KEYS });

await runUntilSignal(log, run, (error) => sayAside(`Lockstep could not start: ${explain(error)}`));

async function run(startPart: StartPart): Promise<void> {
  const consoleBuilt = startPart('console build', buildConsole);
  const database = await startPart('PostgreSQL', (stop) => provideDatabase(config, stop));
  const queue = chooseQueueBackend(config, database.url);
  await migrateDatabase(database.url, queue);
  const common = { ...config, DATABASE_URL: database.url, queue, log, metrics: createOrderMetrics() };
  // The worker has the connections that its drains need, and the API answers for its health.
  await startPart('worker', () => startWorker({ ...common, DATABASE_POOL: 0, WORKER_PORT: undefined }));
  const demoFile = join(config.DATA_DIR, 'demo.json');
  let logInToken: string | undefined;
  const prepare = async (baseUrl: string) => {
    const prepared = await prepareDemo(database.url, demoFile, baseUrl);
    logInToken = prepared.logInToken;
    return { appKey: prepared.demo.appKey, file: demoFile };
  };
  const api = await startPart('api', () => startApi({ ...common, prepare }));
  const { fault } = await consoleBuilt;
  if (fault !== undefined) sayAside(`The console could not be built: ${fault}`);
  say(`PostgreSQL: ${database.description}; queue: BullMQ on ${queue.kind === 'redis' ? 'Redis' : 'PostgreSQL'}`);
  say(`Demo credentials: ${demoFile}; try the API: ${api.baseUrl}/docs`);
  say(describeConsole(config.publicUrl ?? api.baseUrl, logInToken));
  say(`Lockstep is ready at ${api.baseUrl}`);
}

/** The token is behind the `#`, so that no request for a page carries it (rules 9, Login link). */
function describeConsole(baseUrl: string, logInToken: string | undefined): string {
  if (logInToken === undefined) return `Console: ${baseUrl}/console`;
  return `Console (this link logs you in once, within ${LINK_MINUTES} minutes): ${baseUrl}/console/log-in#token=${logInToken}`;
}

function explain(error: unknown): string {
  const { message } = error as Error;
  // The embedded PostgreSQL's error has the end of its log.
  return config.DATABASE_URL === undefined ? message : explainFault(error, config.DATABASE_URL);
}
