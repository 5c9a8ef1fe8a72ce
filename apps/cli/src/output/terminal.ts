import { resolve } from 'node:path';
import { STATUS } from './status.ts';

/** Prints a line for the person at the terminal. Logs are written elsewhere. */
export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Prints a line that is not the result: on standard error, so that scripts read results only. */
export function sayAside(line: string): void {
  process.stderr.write(`${line}\n`);
}

/**
 * Resolves a path against the directory in which the command was typed: `npm run lockstep` changes the directory, and
 * sets INIT_CWD.
 */
export function resolveCallerPath(path: string): string {
  const { npm_lifecycle_event: script, INIT_CWD = '.' } = process.env;
  return resolve(script === 'lockstep' ? INIT_CWD : '.', path);
}

/** Ends the process at Ctrl-C or SIGTERM, with `lastWords` on standard error and the exit status of shells. */
export function endOnSignals(lastWords: () => string): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    // `on` and not `once`: npm passes on a signal that the whole group got as well, and the second one would end the
    // process without a word.
    process.on(signal, () => {
      process.stderr.write(`lockstep: ${lastWords()}\n`);
      process.exit(STATUS[signal]);
    });
  }
}

/** Ends the process quietly when nobody reads its output any more, as with `| head`. */
export function endWithReader(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      process.exit(STATUS.SIGPIPE);
    });
  }
}
