import { type ListOptions, MAX_LIMIT } from '../options.ts';
import { CommandFault } from './status.ts';
import { formatTable } from './table.ts';
import { say, sayAside } from './terminal.ts';
import type { Column } from './values.ts';

/** A page of a list (rules 6.7). */
interface Page<Item> {
  items: readonly Item[];
  nextCursor: string | null;
}
/** A page of at most `limit` entries; without a cursor, the first page. */
export type PageQuery = { limit: string; cursor: string | undefined };
type ReadPage<Item> = (page: PageQuery) => Promise<Page<Item>>;

const MAX_PAGE = 200;
/** The fewest rows of a table that is not the last, so that rows appear before all pages are read. */
const TABLE_ROWS = 1_000;

/**
 * Reads at most `most` entries in pages of at most `mostOfPage`, and passes on each page. A short or empty page need
 * not be the last one. Returns whether more entries may follow.
 * @throws CommandFault if a cursor repeats, because the list would never end
 */
export async function readPages<Item>(
  readPage: ReadPage<Item>,
  take: (items: readonly Item[]) => void,
  most = Number.POSITIVE_INFINITY,
  mostOfPage = MAX_PAGE,
): Promise<boolean> {
  const cursors = new Set<string | undefined>();
  let cursor: string | undefined;
  for (let left = most; ; ) {
    if (cursors.size === cursors.add(cursor).size) {
      throw new CommandFault('unreachable', 'The service answered with a cursor that it gave before. Try again.');
    }
    const { items, nextCursor } = await readPage({ limit: String(Math.min(left, mostOfPage)), cursor });
    take(items.slice(0, left));
    left -= items.length;
    if (nextCursor === null) return false;
    if (left <= 0) return true;
    cursor = nextCursor;
  }
}

/** Reads all entries of a list, in pages of at most `mostOfPage`. */
export async function readAll<Item>(readPage: ReadPage<Item>, mostOfPage: number): Promise<Item[]> {
  const all: Item[] = [];
  await readPages(readPage, (items) => all.push(...items), undefined, mostOfPage);
  return all;
}

/**
 * Prints a list as a table, or with `json` as one object per line, and says on standard error if more entries may
 * follow. If a page fails, prints the entries read before it.
 */
export async function printList<Item>(
  readPage: ReadPage<Item>,
  columns: readonly Column<Item>[],
  { json, limit, all }: ListOptions,
): Promise<void> {
  const rows: Item[] = [];
  let isEmpty = true;
  const flush = () => {
    if (rows.length > 0) say(formatTable(columns, rows.splice(0)));
  };
  const take = (items: readonly Item[]) => {
    if (items.length > 0) isEmpty = false;
    if (json) for (const item of items) say(JSON.stringify(item));
    else if (rows.push(...items) >= TABLE_ROWS) flush();
  };
  const hasMore = await readPages(readPage, take, all ? undefined : limit).finally(flush);
  if (isEmpty && !json) sayAside('None found.');
  if (hasMore) sayAside(describeMore(limit));
}

function describeMore(limit: number): string {
  const most = Math.min(2 * limit, MAX_LIMIT);
  return `There may be more entries: use ${most > limit ? `--limit ${most} or --all` : '--all'}.`;
}
