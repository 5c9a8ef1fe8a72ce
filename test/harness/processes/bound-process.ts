import { type ChildProcess, spawn } from 'node:child_process';

/** Becomes the program; a second shell waits for the end of a pipe that only the starter holds open. */
const SCRIPT = 'exec 3<&0; { read -r _ <&3; kill -9 $$ 2> /dev/null; } & exec "$@" 3<&- < /dev/null';

/** Starts a program that is killed when this process ends, however that ends. */
export function startBoundProcess(command: readonly string[]): ChildProcess {
  return spawn('/bin/sh', ['-c', SCRIPT, 'bound', ...command], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
}
