import { MAX_LIST_PAGE } from '@lockstep/contract/routes';
import { type ListOptions, MAX_LIMIT } from '../options.ts';
import { formatTable } from './table.ts';
import { say, sayAside } from './terminal.ts';
import type { Column } from './values.ts';

/** The fewest rows of a table that is not the last, so that rows appear before all pages are read. */
const TABLE_ROWS = 1_000;

/**
 * Prints a list as a table, or with `json` as one object per line, and says on standard error if more entries follow.
 * If a page fails, prints the entries read before it.
 * @param read reads the list in pages of this size
 */
export async function printList<Item>(
  read: (pageSize: string) => AsyncIterable<Item> | Iterable<Item>,
  columns: readonly Column<Item>[],
  { json, limit, all }: ListOptions,
): Promise<void> {
  const rows: Item[] = [];
  const flush = () => {
    if (rows.length > 0) say(formatTable(columns, rows.splice(0)));
  };
  const most = all ? Number.POSITIVE_INFINITY : limit;
  let count = 0;
  try {
    // One entry more says that more follow.
    for await (const item of read(String(Math.min(most + 1, MAX_LIST_PAGE)))) {
      count += 1;
      if (count > most) break;
      if (json) say(JSON.stringify(item));
      else if (rows.push(item) >= TABLE_ROWS) flush();
    }
  } finally {
    flush();
  }
  if (count === 0 && !json) sayAside('None found.');
  if (count > most) sayAside(describeMore(limit));
}

function describeMore(limit: number): string {
  const most = Math.min(2 * limit, MAX_LIMIT);
  return `There are more entries: use ${most > limit ? `--limit ${most} or --all` : '--all'}.`;
}
