import { configOrExit, readConfig, SECRET_KEYS } from '@lockstep/config';
import { LINK_MINUTES } from '@lockstep/operators';
import { createLogger, explainFault, runUntilSignal, type StartPart, startTracing } from '@lockstep/platform';
import { say, sayAside } from './output/terminal.ts';
import { buildConsole } from './stack/build-console.ts';
import { runService } from './stack/service.ts';

/** `npm start`: runs everything on one machine (rules 9). */
const config = configOrExit(readConfig);
const log = createLogger({ name: 'lockstep', level: config.LOG_LEVEL ?? 'warn', secrets: SECRET_KEYS });

await runUntilSignal(log, run, (error) => sayAside(`Lockstep could not start: ${explain(error)}`));

async function run(startPart: StartPart): Promise<void> {
  await startPart('traces', () => startTracing(config, 'lockstep', log));
  const consoleBuilt = startPart('console build', buildConsole);
  const { database, queue, api, demoFile, logInToken } = await runService(config, log, startPart);
  const { fault } = await consoleBuilt;
  if (fault !== undefined) sayAside(`The console could not be built: ${fault}`);
  say(`PostgreSQL: ${database.description}; queue: BullMQ on ${queue.kind === 'redis' ? 'Redis' : 'PostgreSQL'}`);
  const baseUrl = config.publicUrl ?? api.baseUrl;
  say(`Demo credentials: ${demoFile}; try the API: ${baseUrl}/docs`);
  say(describeConsole(baseUrl, logInToken));
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
