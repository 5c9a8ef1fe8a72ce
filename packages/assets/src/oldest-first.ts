import type { CursorPage, OptionalPageQuery } from '@lockstep/contract';
import { isId, ListCursor } from '@lockstep/platform';
import { type SelectQueryBuilder, sql } from 'kysely';
import { buildPage, countRowsBefore } from './page.ts';

/** A list of assets. */
interface AssetList<Row extends { id: string }, Item> {
  /** Selects the rows from `asset`, in any order. */
  // biome-ignore lint/suspicious/noExplicitAny: the list decides which tables it joins
  rows: SelectQueryBuilder<any, any, Row>;
  /** The name of the list, its owner and its filters, for cursors. */
  scope: readonly unknown[];
  show: (row: Row) => Item;
  /** Refuses rows that would make the answer too large, before they are read. */
  check?: (rows: AssetList<Row, Item>['rows']) => Promise<void>;
}

/** The time of a purchase in microseconds, which is as exact as PostgreSQL stores it. */
const BOUGHT = sql<string>`(extract(epoch from ${sql.ref('asset.created_time')}) * 1000000)::bigint`;

/**
 * Lists assets, oldest first: all of them or, if the query has a parameter of pages, a page as M5 has (rules 8 Pages).
 *
 * Throws a WrongCursor, and what `check` throws.
 */
export async function listOldestFirst<Row extends { id: string }, Item>(
  { rows, scope, show, check }: AssetList<Row, Item>,
  query: OptionalPageQuery,
): Promise<Item[] | CursorPage<Item>> {
  const ordered = rows.orderBy('asset.created_time').orderBy('asset.id');
  const { pageNum = 1, pageSize = 100, cursor } = query;
  if ((query.pageNum ?? query.pageSize ?? cursor) === undefined) {
    await check?.(ordered);
    return (await ordered.execute()).map((row) => show(row as Row));
  }
  const cursors = new ListCursor(scope, cursor, [isId, isId]);
  const [bought, id] = cursors.after ?? [];
  const asked = ordered
    .select(BOUGHT.as('bought'))
    .limit(pageSize + 1)
    .$if(cursors.after === null, (all) => all.offset(countRowsBefore({ pageNum, pageSize })))
    .$if(cursors.after !== null, (all) =>
      all.where(sql<boolean>`(${BOUGHT}, asset.id) > (${bought}::bigint, ${id}::bigint)`),
    );
  await check?.(asked as typeof rows);
  const { total } = await rows
    .clearSelect()
    .select((eb) => eb.fn.countAll<string>().as('total'))
    .executeTakeFirstOrThrow();
  const found = (await asked.execute()) as (Row & { bought: string })[];
  const { page, nextCursor } = cursors.cut(found, pageSize, (row) => [row.bought, row.id]);
  return { ...buildPage({ pageNum, pageSize }, Number(total), page.map(show)), nextCursor };
}
