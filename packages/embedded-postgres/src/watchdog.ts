import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { launch } from './launcher.ts';

/** Ends a PostgreSQL whose starter has died, even by SIGKILL. */
interface Watchdog {
  /** Tells the watchdog PostgreSQL's pid. */
  watch(pid: number): void;
  /** Ends the watchdog, because PostgreSQL has ended; waits until it is gone. */
  dismiss(): Promise<void>;
}

const FAST_STOP_SECONDS = 20;

/**
 * The watchdog's standard input is a pipe. Only we hold its other end: no child of ours inherits it, and the kernel
 * closes it when we die, but not while we are stopped (SIGSTOP). Then `read` fails. When a later start has taken over
 * the directory, the owner file no longer holds our pid, and that process ends PostgreSQL itself.
 */
const SCRIPT = `
  read -r postgres || exit 0
  read -r _ && exit 0
  is_ours() {
    owner=
    { read -r owner < "$1"; } 2> /dev/null
    [ "$owner" = "$2" ] && kill -0 "$postgres" 2> /dev/null
  }
  is_ours "$@" || exit 0
  kill -INT "$postgres"
  seconds=0
  while is_ours "$@"; do
    [ "$seconds" -lt ${FAST_STOP_SECONDS} ] || { kill -QUIT "$postgres"; exit 0; }
    sleep 1 || exit 0
    seconds=$((seconds + 1))
  done`;

/**
 * Starts a watchdog: a shell in a session of its own, so that no signal to our process group reaches it. It starts
 * before PostgreSQL does, so that PostgreSQL never runs without it. If it cannot run or is killed, the next start
 * replaces a PostgreSQL that we leave behind.
 * @param ownerFile holds our pid while this process owns the directory
 */
export function startWatchdog(ownerFile: string): Watchdog {
  const command = ['/bin/sh', '-c', SCRIPT, 'lockstep-watchdog', ownerFile, `${process.pid}`];
  const shell = launch({ owner: undefined, prefix: [] }, command, {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  let gone = false;
  for (const event of ['error', 'exit']) {
    shell.once(event, () => {
      gone = true;
    });
  }
  const input = shell.stdin!;
  // The watchdog may be killed at any time.
  input.on('error', () => {});
  letUsEnd(shell);
  return {
    watch: (pid) => void input.write(`${pid}\n`),
    async dismiss() {
      if (gone) return;
      const exit = once(shell, 'exit');
      shell.ref();
      input.end('ended\n');
      await exit;
    },
  };
}

/** Lets this process end although the watchdog and the pipe to it are open. */
function letUsEnd(shell: ChildProcess): void {
  shell.unref();
  (shell.stdin as unknown as { unref(): void }).unref();
}
