import { expect, it, vi } from 'vitest';
import { say, sayAside } from './terminal.ts';

/** All control characters but line feed and tab, and those that reorder text or break lines. */
const OBEYED = [
  ...[...Array(0x20).keys()].filter((code) => !['\n', '\t'].includes(String.fromCharCode(code))),
  ...Array.from({ length: 0x21 }, (_, index) => 0x7f + index),
  ...[0x2028, 0x2029, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069],
].map((code) => String.fromCharCode(code));

it.each([
  ['stdout', say],
  ['stderr', sayAside],
] as const)('%s gets no character that a terminal obeys, and JSON keeps its meaning', (stream, print) => {
  const write = vi.spyOn(process[stream], 'write').mockReturnValue(true);
  const text = `${OBEYED.join('a')}\n\t客户 é 👩‍🔧`;
  print(text);
  print(JSON.stringify({ [text]: text }));
  const [shown, json] = write.mock.calls.map(([chunk]) => String(chunk));
  write.mockRestore();
  for (const character of OBEYED) expect(`${shown}${json}`).not.toContain(character);
  expect(shown).toMatch(/^\\u0000a\\u0001a.*\n\t客户 é 👩‍🔧\n$/);
  expect(JSON.parse(json!)).toEqual({ [text]: text });
});
