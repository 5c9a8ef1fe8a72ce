import { once } from 'node:events';
import { resolve } from 'node:path';
import { STATUS } from './status.ts';

/** Prints a line of the result to standard output. */
export function say(line: string): void {
  clearProgress();
  process.stdout.write(`${makeVisible(line)}\n`);
}

/** Prints a part of a file to standard output, for a file or pipe unchanged, and waits until that takes more. */
export async function sayText(text: string): Promise<void> {
  const { stdout } = process;
  if (!stdout.write(stdout.isTTY ? makeVisible(text) : text)) await once(stdout, 'drain');
}

/** Prints a line that is not part of the result to standard error, so that scripts read only results. */
export function sayAside(line: string): void {
  clearProgress();
  process.stderr.write(`${makeVisible(line)}\n`);
}

/** Prints the result of a command: a string as it is, an object as JSON, a list as one JSON object per line. */
export function sayResult(result: unknown): void {
  if (typeof result === 'string') say(result);
  else if (Array.isArray(result)) for (const each of result) say(JSON.stringify(each));
  else if (result !== undefined) say(JSON.stringify(result));
}

let hasProgress = false;

/** Shows a line on the terminal of standard error until the next line is printed. */
export function showProgress(line: string): void {
  const { isTTY, columns } = process.stderr;
  if (!isTTY || process.env.TERM === 'dumb') return;
  clearProgress();
  // A wrapped line could not be cleared. A terminal of unknown size reports 0 columns.
  process.stderr.write(makeVisible(line).slice(0, (columns || 80) - 1));
  hasProgress = true;
}

function clearProgress(): void {
  if (hasProgress) process.stderr.write('\r\x1b[K');
  hasProgress = false;
}

/**
 * Replaces characters that a terminal obeys, or that override the order of the text around them, with their JSON
 * escapes. JSON keeps its meaning. Line feeds, tabs and direction marks stay.
 */
export function makeVisible(text: string): string {
  return text.replace(
    /[^\P{Cc}\n\t]|[\u2028-\u202e\u2066-\u2069]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * Resolves a path against the directory in which the user typed the command. `npm run lockstep` changes the directory
 * and keeps the original in INIT_CWD.
 */
export function resolveCallerPath(path: string): string {
  const { npm_lifecycle_event: script, INIT_CWD = '.' } = process.env;
  return resolve(script === 'lockstep' ? INIT_CWD : '.', path);
}

/** At Ctrl-C or SIGTERM, prints `lastWords` to standard error and exits with the status of the signal. */
export function endOnSignals(lastWords: () => string): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    // `on`, not `once`: npm forwards a signal that the whole process group receives, and the second one would end the
    // process without a message.
    process.on(signal, () => {
      sayAside(`lockstep: ${lastWords()}`);
      process.exit(STATUS[signal]);
    });
  }
}

/** Exits silently when the reader of the output closes it, as `| head` does. */
export function endWithReader(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      process.exit(STATUS.SIGPIPE);
    });
  }
}
