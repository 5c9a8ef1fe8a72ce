/** Prints a line for the person at the terminal. Logs are written elsewhere. */
export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
