import stringWidth from 'string-width';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { parseFrom } from '../options.ts';
import { formatFields, formatTable } from './table.ts';
import { type Column, formatTime } from './values.ts';

type Row = { name: string | null; count: number | null };
const COLUMNS: Column<Row>[] = [
  { head: 'name', cell: ({ name }) => name, wraps: true },
  { head: 'count', cell: ({ count }) => count, isRight: true },
];
/** Formats rows for a terminal of this width, or for no terminal. Returns the lines. */
function table(rows: Row[], width?: number): string[] {
  Object.assign(process.stdout, { isTTY: width !== undefined, columns: width });
  return formatTable(COLUMNS, rows).split('\n');
}
const { isTTY, columns } = process.stdout;
const { TZ } = process.env;
afterEach(() => {
  vi.stubEnv('TZ', TZ);
  Object.assign(process.stdout, { isTTY, columns });
});

describe('a table', () => {
  it('has a header, texts on the left, numbers on the right, and dashes for null and empty cells', () => {
    expect(
      table([
        { name: 'web', count: 5_000 },
        { name: '', count: null },
      ]),
    ).toEqual(['name  count', 'web    5000', '-         -']);
  });

  it('counts Chinese characters as two columns', () => {
    const lines = table([
      { name: '广联达', count: 1 },
      { name: 'web', count: 2 },
    ]);
    expect(lines.map((line) => stringWidth(line))).toEqual([13, 13, 13]);
  });

  it('does not wrap long texts without a terminal', () => {
    const name = 'x'.repeat(300);
    expect(table([{ name, count: 1 }])[1]).toBe(`${name}      1`);
  });

  it.each([
    ['in Latin letters', 'WEB-2026-11-22-0001-retry'],
    ['in Chinese', '广联达建筑软件'.repeat(3)],
    ['in emoji of several code points', '👩‍👩‍👧‍👦'.repeat(9)],
  ])('wraps long texts %s to the width of the terminal, and loses no character', (_, name) => {
    const lines = table([{ name, count: 7 }], 20);
    expect(Math.max(...lines.map((line) => stringWidth(line)))).toBeLessThanOrEqual(20);
    expect(
      lines
        .slice(1)
        .map((line) => line.replace(/ +7$/, '').trim())
        .join(''),
    ).toBe(name);
  });

  it('keeps columns readable if the terminal is too narrow', () => {
    expect(table([{ name: 'a'.repeat(16), count: 7 }], 5)).toEqual(['name      count', 'aaaaaaaa      7', 'aaaaaaaa']);
  });

  it('shows control characters, at their width', () => {
    expect(table([{ name: 'a\x1b[31mb\nc\x9b', count: 1 }])).toEqual([
      'name                  count',
      'a\\u001b[31mb c\\u009b      1',
    ]);
  });
});

it('fields are one per line, with their values aligned', () => {
  expect(
    formatFields([
      ['state', 'active'],
      ['description', null],
      ['总计', 3],
    ]),
  ).toBe('state        active\ndescription  -\n总计         3');
});

describe('times', () => {
  it.each([
    ['Asia/Shanghai', '2026-11-22 09:01:02+08:00'],
    ['America/St_Johns', '2026-11-21 21:31:02-03:30'],
    ['UTC', '2026-11-22 01:01:02+00:00'],
  ])('in %s have the offset of the zone', (zone, text) => {
    vi.stubEnv('TZ', zone);
    expect(formatTime(Date.UTC(2026, 10, 22, 1, 1, 2))).toBe(text);
  });

  it('can be used in options', () => {
    const timeMs = Date.UTC(2026, 10, 22, 1, 1, 2);
    expect(parseFrom(formatTime(timeMs)!)).toBe(String(timeMs));
  });

  it('may be absent, or any number', () => {
    vi.stubEnv('TZ', 'Asia/Shanghai');
    expect(formatTime(null)).toBeNull();
    expect([Number.MAX_SAFE_INTEGER, 8.64e15, 1_798_761_599_000_000].map(formatTime)).toEqual([
      '9007199254740991',
      '8640000000000000',
      '+058970-06-27 07:43:20+08:00',
    ]);
  });
});
