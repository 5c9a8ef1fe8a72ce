import type { Page, PageQuery } from '@lockstep/contract';

const NAVIGATE_PAGES = 8;

/** Returns a page with the fields of Java's PageHelper (interface Page of employees; rules 8). */
export function buildPage<Item>({ pageNum, pageSize }: PageQuery, total: number, list: Item[]): Page<Item> {
  const pages = Math.ceil(total / pageSize);
  const size = list.length;
  const startRow = size === 0 ? 0 : countRowsBefore({ pageNum, pageSize }) + 1;
  const navigatepageNums = listPagesAround(pageNum, pages);
  return {
    pageNum,
    pageSize,
    size,
    orderBy: null,
    startRow,
    endRow: size === 0 ? 0 : startRow + size - 1,
    total,
    pages,
    list,
    firstPage: navigatepageNums[0] ?? 0,
    prePage: pages > 0 && pageNum > 1 ? pageNum - 1 : 0,
    nextPage: pageNum < pages ? pageNum + 1 : 0,
    lastPage: navigatepageNums.at(-1) ?? 0,
    isFirstPage: pageNum === 1,
    isLastPage: pageNum === pages || pages === 0,
    hasPreviousPage: pageNum > 1,
    hasNextPage: pageNum < pages,
    navigatePages: NAVIGATE_PAGES,
    navigatepageNums,
  };
}

/** Returns the number of rows before this page. */
export function countRowsBefore({ pageNum, pageSize }: PageQuery): number {
  return (pageNum - 1) * pageSize;
}

/** Lists the pages around this one: four before and three after, shifted where there are fewer. */
function listPagesAround(pageNum: number, pages: number): number[] {
  const count = Math.min(pages, NAVIGATE_PAGES);
  const first = Math.max(1, Math.min(pageNum - NAVIGATE_PAGES / 2, pages - NAVIGATE_PAGES + 1));
  return Array.from({ length: count }, (_, index) => first + index);
}
