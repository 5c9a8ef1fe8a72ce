import stringWidth from 'string-width';
import { afterEach, describe, expect, it } from 'vitest';
import { type Column, formatFields, formatTable, formatTime } from './table.ts';

type Row = { name: string | null; count: number | null };
const COLUMNS: Column<Row>[] = [
  { head: 'name', cell: ({ name }) => name, wraps: true },
  { head: 'count', cell: ({ count }) => count, isRight: true },
];
/** Formats rows for a terminal that is so wide, or for none. */
function table(rows: Row[], width?: number): string[] {
  Object.assign(process.stdout, { isTTY: width !== undefined, columns: width });
  return formatTable(COLUMNS, rows).split('\n');
}
const { isTTY, columns } = process.stdout;
afterEach(() => void Object.assign(process.stdout, { isTTY, columns }));

describe('a table', () => {
  it('has a header, texts on the left and numbers on the right, and a dash for null and nothing', () => {
    expect(
      table([
        { name: 'web', count: 5_000 },
        { name: '', count: null },
      ]),
    ).toEqual(['name  count', 'web    5000', '-         -']);
  });

  it('gives Chinese characters the two columns that they take', () => {
    const lines = table([
      { name: '广联达', count: 1 },
      { name: 'web', count: 2 },
    ]);
    expect(lines.map((line) => stringWidth(line))).toEqual([13, 13, 13]);
  });

  it('leaves long texts whole where there is room', () => {
    const name = 'x'.repeat(300);
    expect(table([{ name, count: 1 }])[1]).toBe(`${name}      1`);
  });

  it.each([
    ['of letters', 'WEB-2026-11-22-0001-retry'],
    ['of Chinese', '广联达建筑软件'.repeat(3)],
    ['of emoji that are several code points', '👩‍👩‍👧‍👦'.repeat(9)],
  ])('wraps long texts %s to the width of the terminal, without losing a character', (_, name) => {
    const lines = table([{ name, count: 7 }], 20);
    expect(Math.max(...lines.map((line) => stringWidth(line)))).toBeLessThanOrEqual(20);
    expect(
      lines
        .slice(1)
        .map((line) => line.replace(/ +7$/, '').trim())
        .join(''),
    ).toBe(name);
  });

  it('keeps columns readable where the terminal is too narrow for them', () => {
    expect(table([{ name: 'a'.repeat(16), count: 7 }], 5)).toEqual(['name      count', 'aaaaaaaa      7', 'aaaaaaaa']);
  });

  it('shows no control characters, which a terminal would obey', () => {
    expect(table([{ name: 'a\x1b[31mb\nc\x9b', count: 1 }])[1]).toBe('a [31mb c       1');
  });
});

it('fields are a line each, their values below one another', () => {
  expect(
    formatFields([
      ['state', 'active'],
      ['description', null],
      ['总计', 3],
    ]),
  ).toBe('state        active\ndescription  -\n总计         3');
});

it('times are local', () => {
  expect(formatTime(null)).toBeNull();
  expect(formatTime(new Date(2026, 10, 22, 9, 1, 2).getTime())).toBe('2026-11-22 09:01:02');
});
