import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { configOrExit, readConfig, SECRET_KEYS } from '@lockstep/config';
import { createLogger, runUntilSignal } from '@lockstep/platform';
import pretty from 'pino-pretty';
import { sayAside } from './src/output/terminal.ts';
import { provideDatabase } from './src/stack/stack.ts';

/**
 * `npm run dev`: runs the service of `npm start`, restarts it when its source changes, and serves the console by Vite.
 * The database keeps running across restarts. If Vite exits, everything shuts down. Debuggers attach at port 9229.
 */
const SERVICE = ['--watch', '--watch-preserve-output', '--inspect', 'apps/cli/src/start.ts'];
const VITE = ['node_modules/vite/bin/vite.js', '--config', 'apps/console/vite.config.ts', '--configLoader', 'native'];
const config = configOrExit(readConfig);
const log = createLogger({ name: 'dev', level: 'warn', secrets: SECRET_KEYS });

/**
 * Starts a Node.js process. Log lines on its standard output are formatted for people; other lines stay unchanged.
 * `ended` resolves when it exits, to its signal or exit status.
 */
async function startProgram(args: string[], variables: Record<string, string>) {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...variables },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit').then(([status, signal]) => signal ?? `exit status ${status}`);
  child.stdout.pipe(pretty({ ignore: 'pid,hostname,name', translateTime: 'SYS:HH:MM:ss.l', singleLine: true }));
  const close = async () => {
    child.kill();
    await ended;
  };
  return { close, ended };
}

await runUntilSignal(
  log,
  async (startPart) => {
    const database = await startPart('PostgreSQL', (stop) => provideDatabase(config, stop));
    const { LOG_LEVEL = 'info', PORT } = config;
    const vite = await startPart('console', () => startProgram(VITE, { PORT: String(PORT) }));
    await startPart('service', () => startProgram(SERVICE, { DATABASE_URL: database.url, LOG_LEVEL }));
    throw new Error(`Vite exited (${await vite.ended}); shutting down.`);
  },
  (error) => sayAside(`dev: ${error instanceof Error ? error.message : error}`),
);
