import { type ListOptions, MAX_LIMIT } from '../options.ts';
import { type Column, formatTable } from './table.ts';
import { say, sayAside } from './terminal.ts';

/** A page of a list, as every list of the API has it (rules 6.7). */
interface Page<Item> {
  items: readonly Item[];
  nextCursor: string | null;
}
/** Reads a page of at most `limit` entries; without a cursor the first. */
type ReadPage<Item> = (page: { limit: string; cursor: string | undefined }) => Promise<Page<Item>>;

const MAX_PAGE = 200;
/** Rows of one table. Longer lists are several tables, so that the first rows are seen before the last are read. */
const TABLE_ROWS = 1_000;

/** Reads the entries of a list page by page, at most `most`. Pages that are short or empty are not the end. */
export async function* readEntries<Item>(readPage: ReadPage<Item>, most: number): AsyncGenerator<Item, boolean> {
  let cursor: string | undefined;
  for (let left = most; ; ) {
    const { items, nextCursor } = await readPage({ limit: String(Math.min(left, MAX_PAGE)), cursor });
    yield* items.slice(0, left);
    left -= items.length;
    if (nextCursor === null) return false;
    if (left <= 0) return true;
    cursor = nextCursor;
  }
}

/**
 * Prints a list: a table for people, or with `json` an object a line; and says on standard error if there is more. What
 * was read before a page fails is printed.
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
  const larger = most > limit ? `--limit ${most} shows more, --all` : '--all shows';
  return `There may be more: ${larger} all of them.`;
}
