/**
 * Throws an Error that says how two plain values differ, which are built in the same way; of lists, in what entries.
 */
export function expectSame(what: string, actual: unknown, expected: unknown): void {
  if (JSON.stringify(actual) === JSON.stringify(expected)) return;
  const [got, wanted] = [linesOf(actual), linesOf(expected)];
  const only = (lines: string[], others: string[]) => lines.filter((line) => !others.includes(line)).join('\n  ');
  throw new Error(`${what} should be\n  ${only(wanted, got)}\nand not\n  ${only(got, wanted)}`);
}

function linesOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.map((entry, index) => `[${index}] ${JSON.stringify(entry)}`);
  return [String(JSON.stringify(value))];
}
