import { type RawBuilder, sql } from 'kysely';
import type { Trx } from './database.ts';
import type { Tables } from './tables.ts';

/** One column of many rows: its name, PostgreSQL type and values, and what is stored where that is not the value. */
export type Column = readonly [
  name: string,
  type: string,
  values: readonly unknown[],
  stored?: (value: RawBuilder<unknown>) => RawBuilder<unknown>,
];

/** Columns of equal length as a set of rows, for a FROM clause; one parameter a column, however many rows. */
export function rowsOf(columns: readonly Column[]): RawBuilder<unknown> {
  const arrays = columns.map(([, type, values]) => sql`${values}::${sql.raw(type)}[]`);
  return sql`unnest(${sql.join(arrays)})`;
}

/** Inserts many rows with one statement; none where the columns are empty. */
export async function insertRows(trx: Trx, table: keyof Tables, columns: readonly Column[]): Promise<void> {
  if (columns[0] === undefined || columns[0][2].length === 0) return;
  const names = columns.map(([name]) => sql.ref(name));
  const stored = columns.map(([name, , , expression]) => expression?.(sql.ref(name)) ?? sql.ref(name));
  await sql`
    insert into ${sql.table(table)} (${sql.join(names)})
    select ${sql.join(stored)} from ${rowsOf(columns)} as row (${sql.join(names)})`.execute(trx);
}
