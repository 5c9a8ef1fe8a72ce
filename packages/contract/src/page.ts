import { z } from 'zod';
import { queryInteger } from './scalars.ts';

export const MAX_PAGE_SIZE = 500;
const MAX_PAGE_NUM = 2_147_483_647;

/** The query of every paged operation of the member center (interface.md M5; decisions 8). */
export const pageQuery = z.object({
  pageNum: queryInteger(1, MAX_PAGE_NUM).describe('Page number, from 1'),
  pageSize: queryInteger(1, MAX_PAGE_SIZE).describe(`Items per page: 1 to ${MAX_PAGE_SIZE}`),
});
export type PageQuery = z.infer<typeof pageQuery>;

/** interface.md, Page of employees; the same of anything else (decisions 8). */
export function page<Item extends z.ZodType>(item: Item) {
  const count = z.number().int().min(0);
  return z.object({
    pageNum: count,
    pageSize: count,
    size: count.describe('Items on this page.'),
    orderBy: z.null().describe('The order is fixed: newest first.'),
    startRow: count.describe('Of the first item, from 1; 0 on an empty page.'),
    endRow: count.describe('Of the last item; 0 on an empty page.'),
    total: count.describe('Items on all pages.'),
    pages: count.describe('Pages that there are.'),
    list: z.array(item),
    firstPage: count.describe('The first of navigatepageNums.'),
    prePage: count.describe('0 where there is none.'),
    nextPage: count.describe('0 where there is none.'),
    lastPage: count.describe('The last of navigatepageNums.'),
    isFirstPage: z.boolean(),
    isLastPage: z.boolean(),
    hasPreviousPage: z.boolean(),
    hasNextPage: z.boolean(),
    navigatePages: z.literal(8),
    navigatepageNums: z.array(count).describe('The window of at most 8 pages around this one.'),
  });
}
export type Page<Item> = Omit<z.infer<ReturnType<typeof page>>, 'list'> & { list: Item[] };
