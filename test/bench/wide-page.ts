import type { Figures } from './measure.ts';
import { formatMarkdown } from './page-figures.ts';

/** What a run of the wide benchmark found: medians over its rounds. */
export interface WideFigures {
  rounds: number;
  quick: boolean;
  rows: ({ replication: string; workers: number } & Figures)[];
}

const RATES = ['batches of 100, orders/s', 'batches of 1, orders/s', 'backlog, orders/s'];
const COSTS = ['API µs', 'worker µs', 'PostgreSQL µs', 'standby µs'];

/** The tables of docs/scaling.md, by their names. */
export function renderWide({ rows }: WideFigures): Record<string, string> {
  const [first] = rows;
  return {
    'workers and standbys': formatMarkdown(
      ['PostgreSQL', 'workers', ...RATES.flatMap((name) => [name, '÷ the first'])],
      rows.map((row) => [
        row.replication,
        row.workers,
        ...RATES.flatMap((name) => [row[name]!, (row[name]! / first![name]!).toFixed(2)]),
      ]),
    ),
    'processor time with standbys': formatMarkdown(
      ['PostgreSQL', 'workers', ...[100, 1].flatMap((size) => COSTS.map((name) => `batches of ${size}, ${name}`))],
      rows.map((row) => [
        row.replication,
        row.workers,
        ...[100, 1].flatMap((size) => COSTS.map((name) => row[`batches of ${size}, ${name}`]!)),
      ]),
    ),
  };
}
