import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

/** The heap options that Node.js chooses by itself for a process limited to 512 MiB, such as in a container. */
export const HEAP_OF_512_MIB = '--max-old-space-size=256 --max-semi-space-size=8';

/** Returns the resident memory of a process in MiB, now (VmRSS) or at most so far (VmHWM). Linux only. */
export function readMebibytes(pid: number, field: 'VmHWM' | 'VmRSS'): number {
  const [, kibibytes] =
    new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kibibytes) / 1_024);
}

/** An API or a worker as its own process, as in a deployment. It can be killed and restarted. */
export class ServiceProcess {
  readonly #command: string;
  readonly #readyLine: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #directory: string | undefined;
  readonly #listeners = new Set<() => void>();
  #lines: string[] = [];
  #child: ChildProcess | undefined;

  private constructor(command: string, readyLine: string, env: Record<string, string>, directory?: string) {
    this.#command = command;
    this.#readyLine = readyLine;
    this.#directory = directory;
    this.#env = { ...process.env, LOG_LEVEL: 'info', ...env };
  }

  /** An API, of the checkout in `directory` if given. */
  static api(env: Record<string, string>, directory?: string): ServiceProcess {
    return new ServiceProcess('--max-semi-space-size=8 apps/api/src/main.ts', 'api ready', env, directory);
  }

  /** A worker, of the checkout in `directory` if given. */
  static worker(env: Record<string, string>, directory?: string): ServiceProcess {
    return new ServiceProcess('--max-semi-space-size=8 apps/worker/src/main.ts', 'worker ready', env, directory);
  }

  /** The id of the process started last. */
  get pid(): number {
    if (this.#child?.pid === undefined) throw new Error('The process has not been started');
    return this.#child.pid;
  }

  /** Starts it and waits until it logs that it is ready. */
  async start(): Promise<void> {
    await this.launch(this.#readyLine);
  }

  /** Starts it and waits for the first log line that contains `text`. */
  async launch(text: string): Promise<void> {
    const child = spawn(process.execPath, this.#command.split(' '), {
      env: this.#env,
      ...(this.#directory === undefined ? {} : { cwd: this.#directory }),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#child = child;
    this.#lines = [];
    createInterface({ input: child.stdout }).on('line', (line) => {
      this.#lines.push(line);
      for (const look of this.#listeners) look();
    });
    await Promise.race([
      this.logged(text),
      once(child, 'exit').then(([code]) => Promise.reject(new Error(`${this.#command} ended with status ${code}`))),
    ]);
  }

  /** Returns the log lines so far that contain `text`. */
  linesWith(text: string): string[] {
    return this.#lines.filter((line) => line.includes(text));
  }

  /** Waits for a log line that contains `text`. */
  logged(text: string): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (this.linesWith(text).length === 0) return;
        this.#listeners.delete(look);
        resolve();
      };
      this.#listeners.add(look);
      look();
    });
  }

  /** Kills it at once, like the kernel or a power failure. */
  kill(): Promise<number | null> {
    return this.#end('SIGKILL');
  }

  /** Asks it to shut down. Returns its exit status. */
  stop(): Promise<number | null> {
    return this.#end('SIGTERM');
  }

  async #end(signal: NodeJS.Signals): Promise<number | null> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null;
    child.kill(signal);
    const [code] = (await once(child, 'exit')) as [number | null];
    return code;
  }
}
