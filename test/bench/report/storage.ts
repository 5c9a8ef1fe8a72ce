import type pg from 'pg';

/** What a table takes on disk. */
export interface TableStorage {
  table: string;
  tableBytes: number;
  indexBytes: number;
}

/** Reads what each table takes on disk, with what PostgreSQL keeps beside its rows. */
export async function readStorage(db: pg.Pool): Promise<TableStorage[]> {
  const { rows } = await db.query<{ table: string; tableBytes: string; indexBytes: string }>(
    `select relname as "table", pg_table_size(oid) as "tableBytes", pg_indexes_size(oid) as "indexBytes"
    from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by 1`,
  );
  return rows.map(({ tableBytes, indexBytes, ...row }) => ({
    ...row,
    tableBytes: Number(tableBytes),
    indexBytes: Number(indexBytes),
  }));
}

/** What grows by less for an order does not count. */
const LEAST_BYTES = 0.05;
/** What is deleted within minutes, so that its space is used again. */
const PASSING = ['nonce', 'uncounted_activity', 'unnumbered_event', 'lane_chunk'];

/**
 * What came to each table between two looks, for one of so many orders. Tables that did not grow, or soon shrink again,
 * are left out.
 */
export function growthOf(
  before: readonly TableStorage[],
  after: readonly TableStorage[],
  orders: number,
): TableStorage[] {
  const earlier = new Map(before.map((each) => [each.table, each]));
  return after.flatMap((each) => {
    const { tableBytes = 0, indexBytes = 0 } = earlier.get(each.table) ?? {};
    const grown = {
      ...each,
      tableBytes: (each.tableBytes - tableBytes) / orders,
      indexBytes: (each.indexBytes - indexBytes) / orders,
    };
    return grown.tableBytes + grown.indexBytes >= LEAST_BYTES && !PASSING.includes(each.table) ? [grown] : [];
  });
}
