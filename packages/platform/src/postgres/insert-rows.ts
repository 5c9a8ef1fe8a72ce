import { type RawBuilder, sql } from 'kysely';
import { arrayText } from './array-text.ts';
import type { Trx } from './database.ts';
import { send } from './statement.ts';
import type { Tables } from './tables.ts';

/**
 * One column of many rows: its name, PostgreSQL type and values, and optionally SQL for what to store instead of each
 * value.
 */
export type Column = readonly [
  name: string,
  type: string,
  values: readonly unknown[],
  stored?: (column: string) => string,
];

/** Builds a set of rows for a FROM clause from columns of equal length, with one parameter a column. */
export function buildRows(columns: readonly Column[]): RawBuilder<unknown> {
  const arrays = columns.map(([, type, values]) => sql`(select ${arrayText(type, values)}::${sql.raw(type)}[])`);
  return sql`unnest(${sql.join(arrays)})`;
}

/**
 * Inserts many rows with one statement, which it sends without waiting for its answer (see `send`); does nothing when
 * there are none. The same table always gets the same columns.
 */
export async function insertRows(trx: Trx, table: keyof Tables, columns: readonly Column[]): Promise<void> {
  if (columns[0] === undefined || columns[0][2].length === 0) return;
  const names = columns.map(([name]) => name).join(', ');
  const stored = columns.map(([name, , , expression]) => expression?.(name) ?? name).join(', ');
  const arrays = columns.map(([, type], place) => `$${place + 1}::${type}[]`).join(', ');
  await send(trx, {
    name: `insert_${table}`,
    text: `insert into ${table} (${names}) select ${stored} from unnest(${arrays}) as row (${names})`,
    values: columns.map(([, type, values]) => arrayText(type, values)),
  });
}
