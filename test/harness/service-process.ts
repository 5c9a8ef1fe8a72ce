import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** An api or a worker as a process of its own, as a deployment runs it; it can be killed and started again. */
export class ServiceProcess {
  readonly #file: string;
  readonly #readyLine: string;
  readonly #env: NodeJS.ProcessEnv;
  #child: ChildProcess | undefined;

  private constructor(file: string, readyLine: string, env: Record<string, string>) {
    this.#file = file;
    this.#readyLine = readyLine;
    this.#env = { ...process.env, LOG_LEVEL: 'info', ...env };
  }

  static api(env: Record<string, string>): ServiceProcess {
    return new ServiceProcess('apps/api/src/main.ts', 'api ready', env);
  }

  static worker(env: Record<string, string>): ServiceProcess {
    return new ServiceProcess('apps/worker/src/main.ts', 'worker ready', env);
  }

  /** Starts it and waits until it says that it is ready. */
  async start(): Promise<void> {
    const child = spawn(process.execPath, [this.#file], { env: this.#env, stdio: ['ignore', 'pipe', 'inherit'] });
    this.#child = child;
    const lines = createInterface({ input: child.stdout });
    await new Promise<void>((resolve, reject) => {
      lines.on('line', (line) => line.includes(this.#readyLine) && resolve());
      child.once('exit', (code) => reject(new Error(`${this.#file} ended with status ${code}`)));
    });
  }

  /** Ends it in one blow, as the kernel or a power cut does. */
  kill(): Promise<number | null> {
    return this.#end('SIGKILL');
  }

  /** Asks it to stop; answers its exit status. */
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
