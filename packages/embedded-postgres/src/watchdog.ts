import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { launch } from './launcher.ts';

/** Ends a PostgreSQL whose starter has died, even by SIGKILL. */
interface Watchdog {
  /** Passes PostgreSQL's pid to the watchdog. */
  watch(pid: number): void;
  /** Ends the watchdog after PostgreSQL has ended, and waits until it is gone. */
  dismiss(): Promise<void>;
}

const FAST_STOP_SECONDS = 20;

/**
 * The watchdog's standard input is a pipe. Only this process holds the other end: no child inherits it, and the kernel
 * closes it when the process dies, but not while it is suspended (SIGSTOP). Then `read` fails. If a later start has
 * taken over the directory, the owner file has another pid, and that process ends PostgreSQL itself.
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
 * Starts a watchdog: a shell in its own session, so that no signal to this process group reaches it. It starts before
 * PostgreSQL, which therefore never runs without it. If it cannot run or is killed, the next start replaces a leftover
 * PostgreSQL.
 * @param ownerFile holds this process's pid while it owns the directory
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
  // The pipe breaks if the watchdog is killed.
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

/** Lets this process end while the watchdog and its pipe are open. */
function letUsEnd(shell: ChildProcess): void {
  shell.unref();
  (shell.stdin as unknown as { unref(): void }).unref();
}
