import { type Figures, type Measure, median } from './measure.ts';

/** The values of a figure, one for each round, in each checkout. */
interface Figure {
  measure: string;
  name: string;
  now: number[];
  before: number[];
}

/** All figures so far. */
export class Results {
  readonly #figures = new Map<string, Figure>();

  add(measure: Measure, checkout: 'now' | 'before', figures: Figures): void {
    for (const [name, value] of Object.entries(figures)) {
      const key = `${measure.name}: ${name}`;
      const figure = this.#figures.get(key) ?? { measure: measure.name, name, now: [], before: [] };
      figure[checkout].push(value);
      this.#figures.set(key, figure);
    }
  }

  /** Formats a line for each figure: its median, its range over all rounds, and its value before. */
  formatTable(): string[] {
    const rows = this.#figures.values().map(({ measure, name, now, before }) => {
      const range = `${formatNumber(Math.min(...now))} to ${formatNumber(Math.max(...now))}`;
      const cells = [measure, name, formatNumber(median(now)), range];
      return before.length === 0
        ? [...cells, '', '']
        : [
            ...cells,
            formatNumber(median(before)),
            median(now.map((value, round) => value / before[round]!)).toFixed(2),
          ];
    });
    return alignColumns([['measure', 'figure', 'median', 'range', 'before', 'now ÷ before'], ...rows]);
  }
}

/** Aligns the cells of a table: the first two columns left, the others, which are numbers, right. */
function alignColumns(rows: readonly string[][]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const align = (cell: string, column: number) =>
    column < 2 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!);
  return rows.map((row) => row.map(align).join('  ').trimEnd());
}

/** Formats a number with its significant digits. */
function formatNumber(value: number): string {
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en');
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}
