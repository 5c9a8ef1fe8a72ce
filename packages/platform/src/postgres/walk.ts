import { type RawBuilder, sql } from 'kysely';
import { type Database, inSnapshot, type Trx } from './database.ts';

/** The most rows that one page of a list scans, however few match its filters. */
export const MAX_SCANNED = 2_000;

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

/** Reads a page in a snapshot of its own, as `readWalkIn` does. */
export function readWalk<Row extends object>(db: Database, walk: Walk): ReturnType<typeof readWalkIn<Row>> {
  return inSnapshot(db, (trx) => readWalkIn<Row>(trx, walk));
}

/**
 * Reads a page in a snapshot, and no more rows than it needs. `last`: the row after which the next page begins;
 * undefined at the end of the list.
 */
export async function readWalkIn<Row extends object>(
  trx: Trx,
  { walk, wanted, as, columns, joins = sql``, limit }: Walk,
): Promise<{ page: Row[]; last: Row | undefined }> {
  const row = sql.ref(as);
  const scanned = sql`(${walk} limit ${MAX_SCANNED}) as ${row}`;
  const select = (rows: RawBuilder<unknown>) => sql<Row>`
    select ${columns} from (select row_number() over () as place, found.* from (${rows}) as found) as ${row} ${joins}
    order by place`;
  // The planner knows only how many rows there are on average, and might sort all rows of a large customer.
  await sql`set local enable_sort = off`.execute(trx);
  // In a CASE, the planner can't turn a subquery into a join that has the rows in another order.
  const isWanted = wanted ? sql`case when ${wanted} then true end` : sql`true`;
  const asked = sql`select * from ${scanned} where ${isWanted} limit ${limit + 1}`;
  const { rows } = await select(asked).execute(trx);
  const page = rows.slice(0, limit);
  if (rows.length > limit || wanted === null) return { page, last: rows.length > limit ? page.at(-1) : undefined };
  const floor = await select(sql`select * from ${scanned} offset ${MAX_SCANNED - 1}`).execute(trx);
  return { page, last: floor.rows[0] };
}
