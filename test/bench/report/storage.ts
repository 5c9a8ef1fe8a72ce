import type pg from 'pg';

/** The size of a table on disk. */
export interface TableStorage {
  table: string;
  tableBytes: number;
  indexBytes: number;
}

/** Reads the size of each table on disk, including TOAST and the maps of free space and visibility. */
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

/** Growth of fewer bytes for an order is ignored. */
const LEAST_BYTES = 0.05;
/** Tables whose rows are deleted within minutes, so that their space is reused. */
const PASSING = ['nonce', 'uncounted_activity', 'unnumbered_event', 'lane_chunk'];

/** Returns by how many bytes an order grew each table, without tables that hardly grew or reuse their space. */
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
