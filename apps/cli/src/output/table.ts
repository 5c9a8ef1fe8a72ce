import stringWidth from 'string-width';
import { makeVisible } from './terminal.ts';
import type { Cell, Column, Fields } from './values.ts';

const GAP = '  ';
/** The minimum width of a wrapped column. */
const MIN_WRAPPED_WIDTH = 8;

/**
 * Formats rows under a header. Wide characters, such as Chinese, count as two columns. If standard output is not a
 * terminal, nothing is wrapped.
 */
export function formatTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const cells = [columns.map(({ head }) => head), ...rows.map((row) => columns.map(({ cell }) => toText(cell(row))))];
  const widths = fitWidths(columns, cells, terminalWidth());
  const lines = cells.flatMap((texts) => {
    const wrapped = texts.map((text, index) => wrapText(text, widths[index]!));
    return Array.from({ length: Math.max(...wrapped.map(({ length }) => length)) }, (_, line) =>
      wrapped.map((parts, index) => pad(parts[line] ?? '', widths[index]!, columns[index]!.isRight)).join(GAP),
    );
  });
  return trimLines(lines);
}

/** Formats the fields of one object: a line for each name and value. */
export function formatFields(fields: Fields): string {
  const width = Math.max(...fields.map(([name]) => stringWidth(name)));
  return trimLines(fields.map(([name, value]) => `${pad(name, width)}${GAP}${toText(value)}`));
}

function pad(text: string, width: number, isRight = false): string {
  const space = ' '.repeat(width - stringWidth(text));
  return isRight ? space + text : text + space;
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
function wrapText(text: string, width: number): string[] {
  if (stringWidth(text) <= width) return [text];
  const lines = [''];
  graphemes ??= new Intl.Segmenter();
  for (const { segment } of graphemes.segment(text)) {
    if (stringWidth(lines.at(-1)! + segment) > width) lines.push('');
    lines[lines.length - 1] += segment;
  }
  return lines;
}

const trimLines = (lines: readonly string[]) => lines.map((line) => line.trimEnd()).join('\n');
