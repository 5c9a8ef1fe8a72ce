import Table from 'cli-table3';
import stringWidth from 'string-width';

type Cell = string | number | null;

/** A column of a table. Null is shown as a dash. */
export interface Column<Row> {
  head: string;
  cell: (row: Row) => Cell;
  /** Numbers are on the right. */
  isRight?: true;
  /** Whether long texts go on in the next line where the table is wider than the terminal. */
  wraps?: true;
}

const GAP = '  ';
/** The narrowest that a column becomes where a table is too wide. */
const MIN_WRAPPED_WIDTH = 8;
/** Columns only: scripts read --json, and people read no frames. */
const NO_FRAME = Object.fromEntries(
  ['top', 'bottom', 'left', 'right', 'mid']
    .flatMap((part) => [part, `${part}-mid`, `${part}-left`, `${part}-right`])
    .map((part) => [part, '']),
);

/**
 * Formats rows for people, under a header. Wide characters (Chinese) take two columns of the terminal. Where standard
 * output is no terminal, nothing is wrapped.
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

/** Formats what belongs to one thing: a line for each name and value. */
export function formatFields(fields: readonly [name: string, value: Cell][]): string {
  const width = Math.max(...fields.map(([name]) => stringWidth(name)));
  const pad = (name: string) => name + ' '.repeat(width - stringWidth(name));
  return trimLines(fields.map(([name, value]) => `${pad(name)}${GAP}${toText(value)}`).join('\n'));
}

/** Formats a time as people on this machine read it: 2026-11-22 09:01:02. */
export function formatTime(timeMs: number | null): string | null {
  if (timeMs === null) return null;
  // toLocaleString would load the locales, which takes longer than a table.
  const offsetMs = new Date(timeMs).getTimezoneOffset() * 60_000;
  return new Date(timeMs - offsetMs).toISOString().slice(0, 19).replace('T', ' ');
}

/** Control characters could move the cursor, or color what follows. */
function toText(cell: Cell): string {
  return cell === null || cell === '' ? '-' : String(cell).replace(/\p{Cc}/gu, ' ');
}

function terminalWidth(): number {
  // A terminal that does not know its size says 0.
  return (process.stdout.isTTY && process.stdout.columns) || Number.POSITIVE_INFINITY;
}

/** Narrows the widest columns that may wrap until the table fits, or none can become narrower. */
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

/** Made where a text is wrapped: it takes as long as all of a table. */
let graphemes: Intl.Segmenter | undefined;

/** Breaks a text into lines of at most so many columns. */
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
