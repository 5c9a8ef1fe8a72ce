import type { Page } from '@lockstep/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildPage, countRowsBefore } from './page.ts';

/** A page of the numbers from 1 to `total`, so that every item is its row number. */
function buildPageRows(pageNum: number, pageSize: number, total: number): Page<number> {
  const before = countRowsBefore({ pageNum, pageSize });
  const size = Math.max(0, Math.min(pageSize, total - before));
  const list = Array.from({ length: size }, (_, index) => before + index + 1);
  return buildPage({ pageNum, pageSize }, total, list);
}

const window = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index);

it('has the fields of PageHelper, even where there is no such page', () => {
  const same = { pageSize: 10, total: 25, orderBy: null, pages: 3, navigatePages: 8 };
  const around = { firstPage: 1, lastPage: 3, navigatepageNums: [1, 2, 3] };
  expect(buildPageRows(2, 10, 25)).toEqual({
    ...same,
    ...around,
    pageNum: 2,
    size: 10,
    startRow: 11,
    endRow: 20,
    list: window(11, 20),
    prePage: 1,
    nextPage: 3,
    isFirstPage: false,
    isLastPage: false,
    hasPreviousPage: true,
    hasNextPage: true,
  });
  // PageHelper also counts back from a page that does not exist.
  expect(buildPageRows(9, 10, 25)).toMatchObject({ ...same, ...around, size: 0, list: [], prePage: 8, nextPage: 0 });
  expect(buildPageRows(2, 10, 0)).toMatchObject({ pages: 0, firstPage: 0, lastPage: 0, navigatepageNums: [] });
});

describe('every page', () => {
  const queries = fc.record({
    pageNum: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 2_147_483_647 })),
    pageSize: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 500 })),
    total: fc.oneof(fc.integer({ min: 0, max: 120 }), fc.integer({ min: 0, max: 1_000_000 })),
  });
  const holds = (property: (page: Page<number>) => void) =>
    fc.assert(
      fc.property(queries, ({ pageNum, pageSize, total }) => property(buildPageRows(pageNum, pageSize, total))),
      { numRuns: 1_000 },
    );

  it('says which rows are on it', () => {
    holds(({ pageNum, pageSize, size, startRow, endRow, total, pages, list }) => {
      expect(size).toBe(list.length);
      expect([startRow, endRow]).toEqual(size === 0 ? [0, 0] : [list[0], list.at(-1)]);
      expect(pages * pageSize).toBeGreaterThanOrEqual(total);
      expect((pages - 1) * pageSize).toBeLessThan(Math.max(total, 1));
      expect(size > 0).toBe(pageNum <= pages);
      if (size > 0 && size < pageSize) expect([endRow, pageNum]).toEqual([total, pages]);
    });
  });

  it('has a window of pages in a row, eight where there are so many, around it', () => {
    holds(({ pageNum, pages, navigatepageNums, navigatePages, firstPage, lastPage }) => {
      expect(navigatepageNums).toHaveLength(Math.min(pages, navigatePages));
      if (pages === 0) return;
      expect(navigatepageNums).toEqual(window(firstPage, lastPage));
      expect(firstPage).toBeGreaterThanOrEqual(1);
      expect(lastPage).toBeLessThanOrEqual(pages);
      expect(navigatepageNums).toContain(Math.min(pageNum, pages));
      // Four pages before it, unless the window reaches an end.
      if (firstPage > 1 && lastPage < pages) expect(firstPage).toBe(pageNum - 4);
    });
  });

  it('names its neighbors, or 0', () => {
    holds((page) => {
      const { pageNum, pages, prePage, nextPage } = page;
      expect(prePage).toBe(pages === 0 ? 0 : pageNum - 1);
      expect(nextPage).toBe(pageNum < pages ? pageNum + 1 : 0);
      expect(page.hasPreviousPage).toBe(pageNum > 1);
      expect(page.hasNextPage).toBe(nextPage !== 0);
      expect(page.isFirstPage).toBe(pageNum === 1);
      expect(page.isLastPage).toBe(pageNum === pages || pages === 0);
    });
  });

  it('follows the one before it, so that all of them together are everything once', () => {
    const small = fc.record({ pageSize: fc.integer({ min: 1, max: 12 }), total: fc.integer({ min: 0, max: 100 }) });
    fc.assert(
      fc.property(small, ({ pageSize, total }) => {
        const { pages } = buildPageRows(1, pageSize, total);
        const rows = window(1, pages).flatMap((pageNum) => buildPageRows(pageNum, pageSize, total).list);
        expect(rows).toEqual(window(1, total));
      }),
    );
  });
});
