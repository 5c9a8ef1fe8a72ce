/** Writes a line for the person at the terminal. Logs go their own way. */
export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
