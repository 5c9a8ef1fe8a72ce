import { type ChildProcess, spawn } from 'node:child_process';

/**
 * Stops processes (SIGSTOP) until `end`. Their connections stay open, and nothing answers. If this process dies, they
 * continue too: a shell waits for its input, which only this process holds open.
 */
export class Pause {
  readonly #guard: ChildProcess;
  readonly #pids: readonly number[];

  constructor(pids: readonly number[]) {
    this.#pids = pids;
    const script = 'read -r _ || kill -CONT "$@" 2> /dev/null';
    this.#guard = spawn('/bin/sh', ['-c', script, 'pause', ...pids.map(String)], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    this.#guard.stdin!.on('error', () => {});
    signalAll(pids, 'SIGSTOP');
  }

  /** Continues them. */
  end(): void {
    signalAll(this.#pids, 'SIGCONT');
    this.#guard.stdin!.end('ended\n');
  }
}

/** Signals processes one after the other; skips those that have ended. */
export function signalAll(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}
