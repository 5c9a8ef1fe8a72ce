import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { configOrExit, readConfig, SECRET_KEYS } from '@lockstep/config';
import { type Closable, createLogger, runUntilSignal } from '@lockstep/platform';
import pretty from 'pino-pretty';
import { provideDatabase } from './src/stack/stack.ts';

/**
 * `npm run dev`: what `npm start` starts, started again after a change of a file that it has loaded, and the console by
 * Vite, until one of the two ends. The database stays up meanwhile. A debugger finds the service at port 9229.
 */
const SERVICE = ['--watch', '--watch-preserve-output', '--inspect', 'apps/cli/src/start.ts'];
const VITE = ['node_modules/vite/bin/vite.js', '--config', 'apps/console/vite.config.ts', '--configLoader', 'native'];

const config = configOrExit(readConfig);
const log = createLogger({ name: 'dev', level: 'warn', secrets: SECRET_KEYS });

await runUntilSignal(
  log,
  async (startPart) => {
    const database = await startPart('PostgreSQL', (stop) => provideDatabase(config, stop));
    const { LOG_LEVEL = 'info', PORT } = config;
    const vite = await startPart('console', () => startProgram('Vite', VITE, { PORT: String(PORT) }));
    const service = await startPart('service', () =>
      startProgram('The service', SERVICE, { DATABASE_URL: database.url, LOG_LEVEL }),
    );
    await Promise.race([vite.ended, service.ended]);
  },
  (error) => void process.stderr.write(`dev: ${error instanceof Error ? error.message : error}\n`),
);

/**
 * Starts a program of Node.js. Lines of log on its standard output are shown in a form for people, others as they are.
 * `ended` rejects when it ends.
 */
async function startProgram(
  name: string,
  args: string[],
  variables: Record<string, string>,
): Promise<Closable & { ended: Promise<never> }> {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...variables },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit').then(([status, signal]) => {
    throw new Error(`${name} has ended (${signal ?? `exit status ${status}`}), so everything ends.`);
  });
  child.stdout.pipe(pretty({ ignore: 'pid,hostname,name', translateTime: 'SYS:HH:MM:ss.l', singleLine: true }));
  return {
    ended,
    async close() {
      child.kill();
      await ended.catch(() => {});
    },
  };
}
