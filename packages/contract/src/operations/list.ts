import { z } from 'zod';
import { MAX_LIST_PAGE } from '../orders/lists.ts';

/**
 * Where the answer of a list has its rows, and the query of its largest page, so that clients can export it (rules
 * 1.1). The page says what follows it: by `nextCursor`, `hasMore` or `hasNextPage`.
 */
export interface List {
  /** The fields of `data` with rows of one kind; none if `data` is the rows. */
  rows: readonly string[];
  page: Readonly<Record<string, string>>;
}

/** A list that pages by `limit` and `cursor`. */
export const byCursor = (...rows: string[]): List => ({ rows, page: { limit: String(MAX_LIST_PAGE) } });
/** A list that pages by `pageSize`, as M5 does. */
export const BY_PAGE: List = { rows: ['list'], page: { pageNum: '1', pageSize: '500' } };
/** A list that answers whole. */
export const whole = (...rows: string[]): List => ({ rows, page: {} });

/** Returns the schema of a row of a list, from that of its `data`. */
export function findRow(data: z.ZodType, { rows: [field = ''] }: List): z.ZodType {
  // Lists that answer whole or by page: the page has the same rows.
  const page = data instanceof z.ZodUnion ? data.options.find((each) => each instanceof z.ZodObject) : data;
  const rows = page instanceof z.ZodObject ? page.shape[field] : page;
  return (rows as z.ZodArray<z.ZodType>).element;
}
