import type pg from 'pg';

/** What a table takes on disk, its partitions together. */
export interface TableStorage {
  table: string;
  /** Whether it is in partitions, which can be detached and archived. */
  isPartitioned: boolean;
  tableBytes: number;
  indexBytes: number;
}

/** Reads what each table takes on disk, with what PostgreSQL keeps beside its rows. */
export async function readStorage(db: pg.Pool): Promise<TableStorage[]> {
  const { rows } = await db.query<{ table: string; isPartitioned: boolean; tableBytes: string; indexBytes: string }>(
    `select relname as "table", relkind = 'p' as "isPartitioned",
      (select sum(pg_table_size(relid)) from pg_partition_tree(pg_class.oid)) as "tableBytes",
      (select sum(pg_indexes_size(relid)) from pg_partition_tree(pg_class.oid) where isleaf) as "indexBytes"
    from pg_class
    where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace
    order by relname`,
  );
  return rows.map(({ tableBytes, indexBytes, ...row }) => ({
    ...row,
    tableBytes: Number(tableBytes),
    indexBytes: Number(indexBytes),
  }));
}

/** What came to each table between two looks, for one of so many orders; tables that did not grow are left out. */
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
    return grown.tableBytes + grown.indexBytes >= 0.05 ? [grown] : [];
  });
}
