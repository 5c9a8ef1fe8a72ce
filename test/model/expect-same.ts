/**
 * Compares two plain values with the same order of fields. Throws an Error that shows the difference; for lists, the
 * entries that differ.
 */
export function expectSame(what: string, actual: unknown, expected: unknown): void {
  if (JSON.stringify(actual) === JSON.stringify(expected)) return;
  const [got, wanted] = [linesOf(actual), linesOf(expected)];
  const only = (lines: string[], others: string[]) => lines.filter((line) => !others.includes(line)).join('\n  ');
  throw new Error(`${what}: expected\n  ${only(wanted, got)}\nbut got\n  ${only(got, wanted)}`);
}

function linesOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.map((entry, index) => `[${index}] ${JSON.stringify(entry)}`);
  return [String(JSON.stringify(value))];
}
