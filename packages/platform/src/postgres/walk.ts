import { type RawBuilder, sql } from 'kysely';
import type { Database } from './database.ts';

/** The most rows that one page of a list scans, however few match its filters. */
const MAX_SCANNED = 2_000;

/** The text of SQL: a time in milliseconds. */
export const textInMs = (time: string) => `floor(extract(epoch from ${time}) * 1000)::float8`;

/** SQL: a time in milliseconds. */
export const inMs = (time: string) => sql.raw<number>(textInMs(time));

/** A page of a list that walks an index and has filters that no index serves. */
export interface Walk {
  /** Selects the rows of the list in its order, from where the page begins. */
  walk: RawBuilder<unknown>;
  /** The condition on a row, which is called `as`; null if all rows match. */
  wanted: RawBuilder<unknown> | null;
  as: string;
  /** What to select of each row, and further items of the FROM clause. */
  columns: RawBuilder<unknown>;
  joins?: RawBuilder<unknown>;
  limit: number;
}

/** Reads a page. `last`: the row after which the next page begins; undefined at the end of the list. */
export async function readWalk<Row extends object>(
  db: Database,
  { walk, wanted, as, columns, joins = sql``, limit }: Walk,
): Promise<{ page: Row[]; last: Row | undefined }> {
  const maxScanned = wanted === null ? limit + 1 : MAX_SCANNED;
  const row = sql.ref(as);
  const { rows } = await sql<Row & { isWanted: boolean }>`
    with walked as (select row_number() over () as place, found.* from (${walk} limit ${maxScanned}) as found)
    select ${columns}, "isWanted" from (
      (select *, true as "isWanted" from walked as ${row} where ${wanted ?? sql`true`} order by place limit ${limit + 1})
      union all
      (select *, false from walked where place = ${maxScanned})
    ) as ${row} ${joins} order by "isWanted" desc, place`.execute(db);
  const found = rows.filter(({ isWanted }) => isWanted);
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : rows.find(({ isWanted }) => !isWanted);
  return { page: page.map(({ isWanted: _, ...shown }) => shown as unknown as Row), last };
}
