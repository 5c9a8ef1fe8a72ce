import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { configOrExit, readConfig, SECRET_KEYS } from '@lockstep/config';
import { type Closable, createLogger, runUntilSignal } from '@lockstep/platform';
import { watch } from 'chokidar';
import pretty from 'pino-pretty';
import { provideDatabase } from './src/stack/stack.ts';

/**
 * `npm run dev`: what `npm start` starts, started again after a change of its source, and the console by Vite, until
 * Vite ends. The database stays up meanwhile. A debugger finds the service at port 9229.
 */
const SERVICE = ['--inspect', 'apps/cli/src/start.ts'];
const VITE = ['node_modules/vite/bin/vite.js', '--config', 'apps/console/vite.config.ts', '--configLoader', 'native'];
/** Editors and git write several files one after the other. */
const QUIET_MS = 100;

const config = configOrExit(readConfig);
const log = createLogger({ name: 'dev', level: 'warn', secrets: SECRET_KEYS });

/** Runs the service, and starts it again when a file of its source has changed, also when it has ended by a fault. */
function runService(variables: Record<string, string>): Closable {
  const start = () => {
    const started = new Program(SERVICE, variables);
    void started.ended.then((by) => {
      if (!started.isClosed) process.stdout.write(`The service has ended (${by}). It starts again after a change.\n`);
    });
    return started;
  };
  let program = start();
  let restarting: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;
  const restart = async () => {
    process.stdout.write('Restarting the service\n');
    await program.close();
    restarting = null;
    program = start();
  };
  const watcher = watch(['apps', 'packages'], {
    ignoreInitial: true,
    ignored: (path, stats) =>
      /node_modules|^apps\/console/.test(path) || (stats?.isFile() === true && !/\/src\/.*(?<!\.test)\.ts$/.test(path)),
  });
  watcher.on('all', () => {
    clearTimeout(timer);
    timer = setTimeout(() => (restarting ??= restart()), QUIET_MS);
  });
  return {
    async close() {
      clearTimeout(timer);
      await watcher.close();
      await restarting;
      await program.close();
    },
  };
}

/** A program of Node.js. Lines of log on its standard output are shown in a form for people, others as they are. */
class Program implements Closable {
  readonly #child: ChildProcess;
  isClosed = false;
  /** Resolves when it has ended, with what ended it. */
  readonly ended: Promise<string>;

  constructor(args: string[], variables: Record<string, string>) {
    const child = spawn(process.execPath, args, {
      env: { ...process.env, ...variables },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#child = child;
    this.ended = once(child, 'exit').then(([status, signal]) => signal ?? `exit status ${status}`);
    child.stdout.pipe(pretty({ ignore: 'pid,hostname,name', translateTime: 'SYS:HH:MM:ss.l', singleLine: true }));
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.#child.kill();
    await this.ended;
  }
}

await runUntilSignal(
  log,
  async (startPart) => {
    const database = await startPart('PostgreSQL', (stop) => provideDatabase(config, stop));
    const { LOG_LEVEL = 'info', PORT } = config;
    const vite = await startPart('console', async () => new Program(VITE, { PORT: String(PORT) }));
    await startPart('service', async () => runService({ DATABASE_URL: database.url, LOG_LEVEL }));
    throw new Error(`Vite has ended (${await vite.ended}), so everything ends.`);
  },
  (error) => void process.stderr.write(`dev: ${error instanceof Error ? error.message : error}\n`),
);
