import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { launch } from './embedded-postgres-launcher.ts';

/** Ends a PostgreSQL whose starter has died, however it died. */
interface Watchdog {
  /** Tells it which process PostgreSQL is. */
  watch(pid: number): void;
  /** Sends it away, because PostgreSQL has ended; waits until it is gone. */
  dismiss(): Promise<void>;
}

const FAST_STOP_SECONDS = 20;

/**
 * Its standard input is a pipe whose other end we alone hold: no child of ours inherits it, and the kernel closes it
 * when we die, not while we are stopped. Then `read` fails. A start that has taken the directory over since has written
 * its own pid into the lock's file, and PostgreSQL is that one's to end.
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
 * Starts a watchdog: a shell in a session of its own, which no signal to our process group reaches. It runs before
 * PostgreSQL does, so that no moment is without it. Where it cannot run or is killed, a PostgreSQL that we leave behind is
 * the next start's to replace.
 * @param ownerFile holds our pid for as long as the directory is ours
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
  // It may be killed at any time.
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

/** Neither it nor the pipe to it keeps this process from ending. */
function letUsEnd(shell: ChildProcess): void {
  shell.unref();
  (shell.stdin as unknown as { unref(): void }).unref();
}
