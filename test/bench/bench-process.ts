import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const LOOK_EVERY_MS = 20;
const READY_WITHIN_MS = 60_000;
const LOG_TAIL_CHARACTERS = 3_000;

/** A script that a benchmark runs with this Node.js in the directory of a checkout. */
export interface Program {
  directory: string;
  file: string;
  /** Flags of Node.js. */
  flags?: readonly string[];
  env: Record<string, string>;
  /** Text that its log contains once it is ready. */
  readyText: string;
  /** A file, because reading a pipe would take processor time on a core that the benchmark measures. */
  logFile: string;
}

/** A process that runs a program of the service, or of a system that the service is compared with. */
export class BenchProcess {
  readonly #child: ChildProcess;
  readonly #program: Program;

  private constructor(child: ChildProcess, program: Program) {
    this.#child = child;
    this.#program = program;
    // An interrupted run must leave no process behind.
    const endWithUs = () => child.kill('SIGKILL');
    process.once('exit', endWithUs);
    child.once('exit', () => process.off('exit', endWithUs));
  }

  /** Starts the process and waits until it is ready. @throws Error with the end of its log if it exits or times out */
  static async start(program: Program): Promise<BenchProcess> {
    const log = openSync(program.logFile, 'w');
    const child = spawn(process.execPath, [...(program.flags ?? []), program.file], {
      cwd: program.directory,
      env: { ...process.env, LOG_LEVEL: 'info', ...program.env },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    const started = new BenchProcess(child, program);
    await started.#untilReady();
    return started;
  }

  /** Starts one of the benchmark's own programs, which logs `ready`. `script` is relative to this directory. */
  static startOwn(script: string, directory: string, env: Record<string, string>): Promise<BenchProcess> {
    const file = join(import.meta.dirname, script);
    const logFile = join(directory, `${basename(script)}.log`);
    return BenchProcess.start({ directory: process.cwd(), file, env, readyText: 'ready', logFile });
  }

  get pid(): number {
    return this.#child.pid!;
  }

  get log(): string {
    return readFileSync(this.#program.logFile, 'utf8');
  }

  /** Suspends the process; its connections stay open. */
  pause(): void {
    this.#child.kill('SIGSTOP');
  }

  resume(): void {
    this.#child.kill('SIGCONT');
  }

  /** Stops the process and waits until it has exited. */
  async stop(): Promise<void> {
    if (this.hasEnded) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGCONT');
    this.#child.kill('SIGTERM');
    await ended;
  }

  /** Whether the process has exited, for any reason. */
  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  async #untilReady(): Promise<void> {
    const deadlineMs = performance.now() + READY_WITHIN_MS;
    while (!this.log.includes(this.#program.readyText)) {
      if (this.hasEnded || performance.now() > deadlineMs) {
        await this.stop();
        throw new Error(`${this.#program.file} did not become ready:\n${this.log.slice(-LOG_TAIL_CHARACTERS)}`);
      }
      await delay(LOOK_EVERY_MS);
    }
  }
}
