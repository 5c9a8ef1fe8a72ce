import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const LOOK_EVERY_MS = 20;
const LOG_TAIL_CHARACTERS = 3_000;

/** A script that a benchmark runs with this Node.js in the directory of a checkout. */
export interface Program {
  directory: string;
  /** Flags of Node.js, and the script. */
  args: readonly string[];
  env: Record<string, string>;
  /** Text that its log contains once it is ready. */
  readyText: string;
  /** A file, because reading a pipe would take processor time on a core that the benchmark measures. */
  logFile: string;
}

export type BenchProcess = Awaited<ReturnType<typeof startProcess>>;

/** Starts a process and waits until it is ready. @throws Error with the end of its log if it exits */
export async function startProcess({ directory, args, env, readyText, logFile }: Program) {
  const file = openSync(logFile, 'w');
  const child = spawn(process.execPath, args, {
    cwd: directory,
    env: { ...process.env, LOG_LEVEL: 'info', ...env },
    stdio: ['ignore', file, file],
  });
  closeSync(file);
  // An interrupted run must leave no process behind.
  const endWithUs = () => child.kill('SIGKILL');
  process.once('exit', endWithUs);
  const ended = once(child, 'exit').then(() => process.off('exit', endWithUs));

  const started = {
    pid: child.pid!,
    readLog: () => readFileSync(logFile, 'utf8'),
    /** @throws Error with the end of its log if it has exited, for any reason */
    assertRuns() {
      if (child.exitCode === null && child.signalCode === null) return;
      throw new Error(`${args.at(-1)} exited:\n${this.readLog().slice(-LOG_TAIL_CHARACTERS)}`);
    },
    /** Suspends it; its connections stay open. */
    pause: () => child.kill('SIGSTOP'),
    resume: () => child.kill('SIGCONT'),
    /** Ends it, and waits until it has exited. */
    async stop() {
      child.kill('SIGCONT');
      child.kill('SIGTERM');
      await ended;
    },
  };
  while (!started.readLog().includes(readyText)) {
    started.assertRuns();
    await delay(LOOK_EVERY_MS);
  }
  return started;
}
