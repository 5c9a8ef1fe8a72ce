import { type ListOptions, MAX_LIMIT } from '../options.ts';
import { CommandFault } from './status.ts';
import { type Column, formatTable } from './table.ts';
import { say, sayAside } from './terminal.ts';

/** A page of a list (rules 6.7). */
interface Page<Item> {
  items: readonly Item[];
  nextCursor: string | null;
}
/** Reads a page of at most `limit` entries; without a cursor, the first page. */
type ReadPage<Item> = (page: { limit: string; cursor: string | undefined }) => Promise<Page<Item>>;

const MAX_PAGE = 200;
/** The most rows of a table. A longer list becomes several tables, so that rows appear before all pages are read. */
const TABLE_ROWS = 1_000;

/**
 * Reads at most `most` entries in pages of at most `mostOfPage`. A short or empty page need not be the last one.
 * Returns whether more entries may follow.
 * @throws CommandFault if a cursor repeats, because the list would never end
 */
export async function* readEntries<Item>(
  readPage: ReadPage<Item>,
  most: number,
  mostOfPage = MAX_PAGE,
): AsyncGenerator<Item, boolean> {
  const cursors = new Set<string | undefined>();
  let cursor: string | undefined;
  for (let left = most; ; ) {
    if (cursors.size === cursors.add(cursor).size) {
      throw new CommandFault('unreachable', 'The service answered with a cursor that it gave before. Try again.');
    }
    const { items, nextCursor } = await readPage({ limit: String(Math.min(left, mostOfPage)), cursor });
    yield* items.slice(0, left);
    left -= items.length;
    if (nextCursor === null) return false;
    if (left <= 0) return true;
    cursor = nextCursor;
  }
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
  const entries = readEntries(readPage, all ? Number.POSITIVE_INFINITY : limit);
  const rows: Item[] = [];
  let isEmpty = true;
  const flush = () => {
    if (rows.length > 0) say(formatTable(columns, rows.splice(0)));
  };
  let hasMore: boolean;
  try {
    let next = await entries.next();
    for (; !next.done; next = await entries.next()) {
      isEmpty = false;
      if (json) say(JSON.stringify(next.value));
      else if (rows.push(next.value) === TABLE_ROWS) flush();
    }
    hasMore = next.value;
  } finally {
    flush();
  }
  if (isEmpty && !json) sayAside('None found.');
  if (hasMore) sayAside(describeMore(limit));
}

function describeMore(limit: number): string {
  const most = Math.min(2 * limit, MAX_LIMIT);
  return `There may be more entries: use ${most > limit ? `--limit ${most} or --all` : '--all'}.`;
}
