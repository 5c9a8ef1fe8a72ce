import { expect, it } from 'vitest';
import { formatMarkdown, replaceFigures } from './page-figures.ts';

const PAGE = `# A page

<!-- figures: first -->
old
<!-- end of figures -->

Between.

<!-- figures: second -->
old too
<!-- end of figures -->
`;

it('replaces a part of a page, and nothing else of it', () => {
  expect(replaceFigures(PAGE, { first: 'new' })).toBe(PAGE.replace('\nold\n', '\nnew\n'));
});

it('replaces all parts that it is given, and may do so again', () => {
  const once = replaceFigures(PAGE, { second: 'two', first: 'one' });
  expect(once).toContain('<!-- figures: first -->\none\n<!-- end of figures -->');
  expect(once).toContain('<!-- figures: second -->\ntwo\n<!-- end of figures -->');
  expect(replaceFigures(once, { second: 'two' })).toBe(once);
});

it('refuses a page that lacks a part', () => {
  expect(() => replaceFigures(PAGE, { third: 'new' })).toThrow('<!-- figures: third -->');
});

it('shows counts as they are, measures with as many digits as they have, and what is no number as a dash', () => {
  const table = formatMarkdown(
    ['What', 'now'],
    [
      ['many', 12_345.6],
      ['few', 3],
      ['none', Number.POSITIVE_INFINITY],
      ['small', 0.1234],
    ],
  );
  expect(table).toBe('| What | now |\n|---|---:|\n| many | 12,346 |\n| few | 3 |\n| none | – |\n| small | 0.12 |');
});
