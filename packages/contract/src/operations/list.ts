import { z } from 'zod';
import type { List } from '../routes.ts';

/** Returns the schema of a row of a list, from that of its `data`. */
export function findRow(data: z.ZodType, { rows: [field = ''] }: List): z.ZodType {
  // Lists that answer whole or by page: the page has the same rows.
  const page = data instanceof z.ZodUnion ? data.options.find((each) => each instanceof z.ZodObject) : data;
  const rows = page instanceof z.ZodObject ? page.shape[field] : page;
  return (rows as z.ZodArray<z.ZodType>).element;
}
