import { type Figures, type Measure, median } from '../measures/measure.ts';

type EditionName = 'now' | 'before';

/** The values of a figure, one for each round. */
interface Figure {
  measure: string;
  of: EditionName | 'yardstick';
  name: string;
  values: number[];
}

/** All figures so far. */
export class Results {
  readonly #figures = new Map<string, Figure>();

  add(measure: Measure, edition: EditionName, figures: Figures): void {
    const of = measure.of === 'yardstick' ? 'yardstick' : edition;
    for (const [name, value] of Object.entries(figures)) {
      const key = `${measure.name} ${of} ${name}`;
      const figure = this.#figures.get(key) ?? { measure: measure.name, of, name, values: [] };
      figure.values.push(value);
      this.#figures.set(key, figure);
    }
  }

  get figures(): Figure[] {
    return [...this.#figures.values()];
  }

  /** Returns the median over the rounds; undefined if there are no values. */
  median(measure: string, name: string, of: Figure['of'] = 'now'): number | undefined {
    const figure = this.#figures.get(`${measure} ${of} ${name}`);
    return figure === undefined ? undefined : median(figure.values);
  }

  /** Formats a line for each figure: its median, its range over all rounds, and its value before. */
  formatTable(): string[] {
    const rows = [['measure', 'figure', 'median', 'range', 'before', 'now ÷ before']];
    for (const { measure, of, name, values } of this.#figures.values()) {
      if (of === 'before') continue;
      const now = median(values);
      const before = this.median(measure, name, 'before');
      rows.push([
        measure,
        name,
        formatNumber(now),
        `${formatNumber(Math.min(...values))} to ${formatNumber(Math.max(...values))}`,
        before === undefined ? '' : formatNumber(before),
        before === undefined ? '' : (now / before).toFixed(2),
      ]);
    }
    return alignColumns(rows);
  }
}

/** Aligns the cells of a table: the first two columns left, the others, which are numbers, right. */
export function alignColumns(rows: readonly string[][]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    row
      .map((cell, column) => (column < 2 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join('  ')
      .trimEnd(),
  );
}

/** Formats a number with its significant digits. */
export function formatNumber(value: number): string {
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en');
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}
