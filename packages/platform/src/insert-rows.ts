import { type RawBuilder, sql } from 'kysely';
import { arrayText } from './array-text.ts';
import type { Trx } from './database.ts';
import { sendAhead } from './statement.ts';
import type { Tables } from './tables.ts';

/**
 * One column of many rows: its name, PostgreSQL type and values, and optionally what to store instead of each value.
 */
export type Column = readonly [
  name: string,
  type: string,
  values: readonly unknown[],
  stored?: (value: RawBuilder<unknown>) => RawBuilder<unknown>,
];

/** Builds a set of rows for a FROM clause from columns of equal length, with one parameter a column. */
export function buildRows(columns: readonly Column[]): RawBuilder<unknown> {
  const arrays = columns.map(([, type, values]) => sql`${arrayText(type, values)}::${sql.raw(type)}[]`);
  return sql`unnest(${sql.join(arrays)})`;
}

/**
 * Inserts many rows with one statement, which it sends ahead (see sendAhead); does nothing when there are none. The same
 * table always gets the same columns, so that the statement keeps its name.
 */
export async function insertRows(trx: Trx, table: keyof Tables, columns: readonly Column[]): Promise<void> {
  if (columns[0] === undefined || columns[0][2].length === 0) return;
  const names = columns.map(([name]) => sql.ref(name));
  const stored = columns.map(([name, , , expression]) => expression?.(sql.ref(name)) ?? sql.ref(name));
  await sendAhead(
    trx,
    `insert_${table}`,
    sql`
      insert into ${sql.table(table)} (${sql.join(names)})
      select ${sql.join(stored)} from ${buildRows(columns)} as row (${sql.join(names)})`,
  );
}
