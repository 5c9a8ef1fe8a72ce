import { formatMarkdown } from './page-figures.ts';
import type { Results } from './results.ts';

/** What is compared. */
const FIGURES = [
  'orders/s',
  'PostgreSQL µs',
  'WAL bytes',
  'polls/s',
  ...['results by key', 'pages of batches', 'pages of a customer', 'histories'].flatMap((read) => [
    `${read}/s`,
    `${read} PostgreSQL µs`,
  ]),
  'seconds to fill',
  'GB',
];

/** The table of docs/scaling.md: tables with ten million orders beside empty ones, of this edition and the one before. */
export function renderFilled(results: Results): Record<string, string> {
  const rows = FIGURES.map((name) => {
    const [none, full] = ['filled-0', 'filled-10m'].map((measure) => results.median(measure, name));
    const [noneBefore, fullBefore] = ['filled-0', 'filled-10m'].map((measure) =>
      results.median(measure, name, 'before'),
    );
    return [
      name,
      ...[none, full, divide(full, none), noneBefore, fullBefore, divide(full, fullBefore)].map(
        (value) => value ?? '–',
      ),
    ];
  });
  return {
    filled: formatMarkdown(
      ['', 'empty', 'ten million', '÷ empty', 'before: empty', 'before: ten million', 'ten million, now ÷ before'],
      rows,
    ),
  };
}

/** Undefined when one was not measured. */
function divide(dividend: number | undefined, divisor: number | undefined): number | undefined {
  return dividend === undefined || divisor === undefined ? undefined : dividend / divisor;
}
