import { expect, it } from 'vitest';
import { read } from '../harness/pages.ts';
import { renderCapacity } from './capacity-page.ts';
import { replaceFigures } from './page-figures.ts';
import { renderWide } from './wide-page.ts';

/** docs/scaling.md quotes what the benchmarks printed: `npm run bench:capacity` and `npm run bench:wide`, with `--json`. */
const page = read('docs/scaling.md');
const figures = (file: string) => JSON.parse(read(`test/bench/figures/${file}`));

it('the page on scaling shows what was measured, and the days that follow from it', () => {
  const capacity = figures('capacity.json');
  expect(capacity.quick).toBe(false);
  expect(replaceFigures(page, renderCapacity(capacity))).toBe(page);
});

it('the page on scaling shows what was measured of workers and standbys', () => {
  const wide = figures('wide.json');
  expect(wide.quick).toBe(false);
  expect(replaceFigures(page, renderWide(wide))).toBe(page);
});
