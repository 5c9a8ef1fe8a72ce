import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { read } from '../harness/pages.ts';
import { renderCapacity } from './capacity-page.ts';
import { replaceFigures } from './page-figures.ts';

/** What wrote each file of figures that docs/scaling.md quotes, with `--json`: `npm run bench:capacity`. */
const RENDERERS = { 'capacity.json': renderCapacity };

const files = readdirSync(new URL('figures', import.meta.url)) as (keyof typeof RENDERERS)[];

it('the constants of the capacity model are kept with the page that quotes them', () => {
  expect(files).toContain('capacity.json');
});

it.each(files)('the page on scaling shows what was measured, and what follows from it: %s', (file) => {
  const page = read('docs/scaling.md');
  const found = JSON.parse(read(`test/bench/figures/${file}`));
  expect(found.quick).toBe(false);
  expect(replaceFigures(page, RENDERERS[file](found))).toBe(page);
});
