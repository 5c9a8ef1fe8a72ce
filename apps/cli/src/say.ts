/** Prints a line for the person at the terminal. Logs are written elsewhere. */
export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Prints a line that is not the result: on standard error, so that scripts read results only. */
export function sayAside(line: string): void {
  process.stderr.write(`${line}\n`);
}
