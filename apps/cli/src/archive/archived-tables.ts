import { type PeriodTable, partitionOf } from '@lockstep/orders';
import type { Database } from '@lockstep/platform';
import { sql } from 'kysely';

/** How the rows of a table are read: the columns that name a row, and how many rows at once. */
const READS: Readonly<Record<PeriodTable, { key: readonly string[]; rowsAtOnce: number }>> = {
  // A batch may have 8,192 orders.
  batch: { key: ['id'], rowsAtOnce: 100 },
  license_order: { key: ['id'], rowsAtOnce: 2_000 },
  lane_chunk: { key: ['batch_id', 'lane'], rowsAtOnce: 2_000 },
  event: { key: ['application_id', 'position'], rowsAtOnce: 2_000 },
  member_audit: { key: ['id'], rowsAtOnce: 500 },
  operator_record: { key: ['id'], rowsAtOnce: 500 },
};

/** A column of an archived table. */
interface ArchivedColumn {
  name: string;
  type: string;
}

/** Reads the columns of the partition of a table, in their order. */
export async function readPartitionColumns(
  db: Database,
  table: PeriodTable,
  period: number,
): Promise<ArchivedColumn[]> {
  const { rows } = await sql<ArchivedColumn>`
    select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
    where attrelid = ${partitionOf(table, period)}::regclass and attnum > 0 and not attisdropped order by attnum`.execute(
    db,
  );
  return rows;
}

/**
 * Reads the rows of the partition of a table, a line of JSON each, in the order of its key and in portions, behind the row
 * of a line; from the first one on if that is null. At the end it returns an empty list. Line breaks in JSON that a row
 * holds are between its values: a space says the same.
 */
export async function readLines(
  db: Database,
  table: PeriodTable,
  period: number,
  after: string | null,
): Promise<string[]> {
  const { key, rowsAtOnce } = READS[table];
  const columns = sql.join(key.map((column) => sql.ref(column)));
  const last = after === null ? null : (JSON.parse(after) as Record<string, number>);
  const behind =
    last === null ? sql`` : sql`where (${columns}) > (${sql.join(key.map((column) => sql.val(last[column])))})`;
  const { rows } = await sql<{ line: string }>`
    select replace(row_to_json(archived)::text, chr(10), ' ') as line from (
      select * from ${sql.table(partitionOf(table, period))} ${behind} order by ${columns} limit ${rowsAtOnce}
    ) as archived`.execute(db);
  return rows.map(({ line }) => line);
}

/** Whether the partition of a table is there, attached or not. */
export async function isThere(db: Database, table: PeriodTable, period: number): Promise<boolean> {
  const { rows } = await sql<{ there: boolean }>`
    select to_regclass(${partitionOf(table, period)}) is not null as there`.execute(db);
  return rows[0]!.there;
}

/** Whether the partition of a table is attached, is on its way out, or is not attached any more. */
export async function readAttachment(
  db: Database,
  table: PeriodTable,
  period: number,
): Promise<'attached' | 'pending' | 'detached'> {
  const { rows } = await sql<{ pending: boolean }>`
    select inhdetachpending as pending from pg_inherits
    where inhparent = ${table}::regclass and inhrelid = to_regclass(${partitionOf(table, period)})`.execute(db);
  const [row] = rows;
  return row === undefined ? 'detached' : row.pending ? 'pending' : 'attached';
}
