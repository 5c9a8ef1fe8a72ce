import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const LOOK_EVERY_MS = 20;
const READY_WITHIN_MS = 60_000;
const LOG_TAIL_CHARACTERS = 3_000;

/** A program that a benchmark starts: a script, run with this Node.js in the directory of a checkout. */
export interface Program {
  directory: string;
  file: string;
  /** Flags of Node.js. */
  flags?: readonly string[];
  env: Record<string, string>;
  /** What its log says when it is ready. */
  readyText: string;
  /** Its log. A file, because reading a pipe would cost the benchmark's own process time of a core that is measured. */
  logFile: string;
}

/** A program of the service, or of what it is compared with, as a process of its own. */
export class BenchProcess {
  readonly #child: ChildProcess;
  readonly #program: Program;

  private constructor(child: ChildProcess, program: Program) {
    this.#child = child;
    this.#program = program;
    // Nothing of a run that is interrupted stays.
    const endWithUs = () => child.kill('SIGKILL');
    process.once('exit', endWithUs);
    child.once('exit', () => process.off('exit', endWithUs));
  }

  /** Starts it and waits until it is ready. @throws Error with the end of its log when it ends before */
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

  /** Starts one of the benchmark's own programs, by its path from here. It says `ready`. */
  static startOwn(script: string, directory: string, env: Record<string, string>): Promise<BenchProcess> {
    const file = join(import.meta.dirname, script);
    const logFile = join(directory, `${basename(script)}.log`);
    return BenchProcess.start({ directory: process.cwd(), file, env, readyText: 'ready', logFile });
  }

  get pid(): number {
    return this.#child.pid!;
  }

  /** What it has written so far. */
  get log(): string {
    return readFileSync(this.#program.logFile, 'utf8');
  }

  /** Holds it where it is, without ending its connections. */
  pause(): void {
    this.#child.kill('SIGSTOP');
  }

  resume(): void {
    this.#child.kill('SIGCONT');
  }

  /** Ends it and waits for that. */
  async stop(): Promise<void> {
    if (this.hasEnded) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGCONT');
    this.#child.kill('SIGTERM');
    await ended;
  }

  /** Whether it runs no more, whatever ended it. */
  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  async #untilReady(): Promise<void> {
    const deadlineMs = performance.now() + READY_WITHIN_MS;
    while (!this.log.includes(this.#program.readyText)) {
      if (this.hasEnded || performance.now() > deadlineMs) {
        await this.stop();
        throw new Error(`${this.#program.file} is not ready:\n${this.log.slice(-LOG_TAIL_CHARACTERS)}`);
      }
      await delay(LOOK_EVERY_MS);
    }
  }
}
