import { z } from 'zod';
import { integer, noText, queryInteger } from '../scalars.ts';

const MAX_PAGE_SIZE = 500;
const MAX_PAGE_NUM = 2_147_483_647;

/** The query of every paged operation of the member center (interface M5; rules 8). */
export const PageQuery = z.object({
  pageNum: queryInteger(1, MAX_PAGE_NUM).describe(
    'Page number, from 1. Entries that are added or deleted between calls shift later pages.',
  ),
  pageSize: queryInteger(1, MAX_PAGE_SIZE).describe(`Entries per page: 1 to ${MAX_PAGE_SIZE}.`),
});
export type PageQuery = z.infer<typeof PageQuery>;

/** Creates the schema of a page, with the fields of the interface's page of employees (interface M5; rules 8). */
export function page<Item extends z.ZodType>(item: Item) {
  const count = integer();
  return z.object({
    pageNum: count.describe('Page number, as requested.'),
    pageSize: count.describe('Entries per page, as requested.'),
    size: count.describe('Entries on this page.'),
    orderBy: noText('Always null: newest first.'),
    startRow: count.describe('Position of the first entry in the whole list, from 1; 0 on an empty page.'),
    endRow: count.describe('Position of the last entry; 0 on an empty page.'),
    total: count.describe('Number of entries in the whole list.'),
    pages: count.describe('Number of pages.'),
    list: z.array(item).describe('The entries of this page.'),
    firstPage: count.describe('First of navigatepageNums.'),
    prePage: count.describe('Number of the previous page; 0 if none.'),
    nextPage: count.describe('Number of the next page; 0 if none.'),
    lastPage: count.describe('Last of navigatepageNums.'),
    isFirstPage: z.boolean().describe('Whether it is the first page.'),
    isLastPage: z.boolean().describe('Whether it is the last page; false on a page after it.'),
    hasPreviousPage: z.boolean().describe('Whether there is a previous page.'),
    hasNextPage: z.boolean().describe('Whether there is a next page.'),
    navigatePages: count.describe('Always 8: the maximum length of navigatepageNums.'),
    navigatepageNums: z.array(count).describe('Up to 8 page numbers around this page.'),
  });
}
export type Page<Item> = Omit<z.infer<ReturnType<typeof page>>, 'list'> & { list: Item[] };
