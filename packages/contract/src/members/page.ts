import { z } from 'zod';
import { integer, noText, queryInteger } from '../scalars.ts';

const MAX_PAGE_SIZE = 500;
const MAX_PAGE_NUM = 2_147_483_647;

/** The query of every paged operation of the member center (interface M5; rules 8). */
export const PageQuery = z.object({
  pageNum: queryInteger(1, MAX_PAGE_NUM).describe('Number of the page, from 1.'),
  pageSize: queryInteger(1, MAX_PAGE_SIZE).describe(`Entries of a page at most: 1 to ${MAX_PAGE_SIZE}.`),
});
export type PageQuery = z.infer<typeof PageQuery>;

/**
 * Creates the schema of a page of something, with the fields of the interface's page of employees (interface M5; rules
 * 8).
 */
export function page<Item extends z.ZodType>(item: Item) {
  const count = integer();
  return z.object({
    pageNum: count.describe('Number of this page, as it was asked for.'),
    pageSize: count.describe('Entries of a page at most, as it was asked for.'),
    size: count.describe('Entries on this page.'),
    orderBy: noText('Always null: the order is fixed, newest first.'),
    startRow: count.describe('Place of its first entry among all, from 1; 0 on an empty page.'),
    endRow: count.describe('Place of its last entry among all; 0 on an empty page.'),
    total: count.describe('Entries on all pages.'),
    pages: count.describe('Pages that there are.'),
    list: z.array(item).describe('The entries of this page.'),
    firstPage: count.describe('The first of navigatepageNums.'),
    prePage: count.describe('Number of the page before; 0 where there is none.'),
    nextPage: count.describe('Number of the page behind; 0 where there is none.'),
    lastPage: count.describe('The last of navigatepageNums.'),
    isFirstPage: z.boolean().describe('Whether it is the first page.'),
    isLastPage: z.boolean().describe('Whether it is the last page; false behind that.'),
    hasPreviousPage: z.boolean().describe('Whether there is a page before.'),
    hasNextPage: z.boolean().describe('Whether there is a page behind: go on while there is.'),
    navigatePages: count.describe('Pages in navigatepageNums at most: always 8.'),
    navigatepageNums: z.array(count).describe('The numbers of at most 8 pages around this one.'),
  });
}
export type Page<Item> = Omit<z.infer<ReturnType<typeof page>>, 'list'> & { list: Item[] };
