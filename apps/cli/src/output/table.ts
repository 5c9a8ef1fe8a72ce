import Table from 'cli-table3';
import stringWidth from 'string-width';
import { makeVisible } from './terminal.ts';

type Cell = string | number | null;

/** A column of a table. Null and '' are shown as a dash. */
export interface Column<Row> {
  head: string;
  cell: (row: Row) => Cell;
  /** Whether to align to the right, as for numbers. */
  isRight?: true;
  /** Whether to wrap long texts if the table is wider than the terminal. */
  wraps?: true;
}

const GAP = '  ';
/** The minimum width of a wrapped column. */
const MIN_WRAPPED_WIDTH = 8;
const NO_FRAME = Object.fromEntries(
  ['top', 'bottom', 'left', 'right', 'mid']
    .flatMap((part) => [part, `${part}-mid`, `${part}-left`, `${part}-right`])
    .map((part) => [part, '']),
);

/**
 * Formats rows under a header. Wide characters, such as Chinese, count as two columns. If standard output is not a
 * terminal, nothing is wrapped.
 */
export function formatTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const cells = [columns.map(({ head }) => head), ...rows.map((row) => columns.map(({ cell }) => toText(cell(row))))];
  const widths = fitWidths(columns, cells, terminalWidth());
  const table = new Table({
    chars: { ...NO_FRAME, middle: GAP },
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
    colAligns: columns.map(({ isRight }) => (isRight ? 'right' : 'left')),
  });
  for (const line of cells) table.push(line.map((text, index) => wrapText(text, widths[index]!)));
  return trimLines(table.toString());
}

/** Formats the fields of one object: a line for each name and value. */
export function formatFields(fields: readonly [name: string, value: Cell][]): string {
  const width = Math.max(...fields.map(([name]) => stringWidth(name)));
  const pad = (name: string) => name + ' '.repeat(width - stringWidth(name));
  return trimLines(fields.map(([name, value]) => `${pad(name)}${GAP}${toText(value)}`).join('\n'));
}

/**
 * Formats a time in the local time zone, with its offset: 2026-11-22 09:01:02+08:00. Returns a number that is no time
 * as it is.
 */
export function formatTime(timeMs: number | null): string | null {
  if (timeMs === null) return null;
  // toLocaleString would load the locales, which takes longer than a table.
  const offsetMinutes = -new Date(timeMs).getTimezoneOffset();
  const time = new Date(timeMs + offsetMinutes * 60_000);
  if (Number.isNaN(time.getTime())) return String(timeMs);
  const local = time
    .toISOString()
    .replace(/\.\d+Z$/, '')
    .replace('T', ' ');
  const sign = offsetMinutes < 0 ? '-' : '+';
  const pad = (value: number) => String(value).padStart(2, '0');
  const minutes = Math.abs(offsetMinutes);
  return `${local}${sign}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
}

/** Formats a cell as one line, as wide as it will be on the terminal. */
function toText(cell: Cell): string {
  return cell === null || cell === '' ? '-' : makeVisible(String(cell)).replace(/[\n\t]/g, ' ');
}

function terminalWidth(): number {
  // A terminal of unknown size reports 0 columns.
  return (process.stdout.isTTY && process.stdout.columns) || Number.POSITIVE_INFINITY;
}

/** Narrows the widest wrapping column until the table fits, or none can become narrower. */
function fitWidths(
  columns: readonly Column<never>[],
  cells: readonly (readonly string[])[],
  maxWidth: number,
): number[] {
  const widths = columns.map((_, index) =>
    cells.reduce((widest, line) => Math.max(widest, stringWidth(line[index]!)), 0),
  );
  const wrapping = columns.flatMap(({ wraps }, index) => (wraps ? [index] : []));
  let excess = widths.reduce((sum, width) => sum + width, (columns.length - 1) * GAP.length) - maxWidth;
  for (; excess > 0; excess -= 1) {
    const [widest] = wrapping.toSorted((one, other) => widths[other]! - widths[one]!);
    if (widest === undefined || widths[widest]! <= MIN_WRAPPED_WIDTH) break;
    widths[widest]! -= 1;
  }
  return widths;
}

/** Created when a text is first wrapped, because that takes as long as formatting a table. */
let graphemes: Intl.Segmenter | undefined;

/** Breaks a text into lines of at most `width` columns. */
function wrapText(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  const lines = [''];
  graphemes ??= new Intl.Segmenter();
  for (const { segment } of graphemes.segment(text)) {
    if (stringWidth(lines.at(-1)! + segment) > width) lines.push('');
    lines[lines.length - 1] += segment;
  }
  return lines.join('\n');
}

function trimLines(text: string): string {
  return text.replace(/ +$/gm, '');
}
