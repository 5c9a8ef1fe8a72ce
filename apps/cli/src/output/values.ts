import type { HoldingEnd } from '@lockstep/contract';

/** A value in a table. Null and '' are shown as a dash. */
export type Cell = string | number | null;

/** A column of a table. */
export interface Column<Row> {
  head: string;
  cell: (row: Row) => Cell;
  /** Whether to align to the right, as for numbers. */
  isRight?: true;
  /** Whether to wrap long texts if the table is wider than the terminal. */
  wraps?: true;
}

/** The names and values of one object, in the order in which they are shown. */
export type Fields = readonly (readonly [name: string, value: Cell])[];

/** Returns the fields of one object from the columns of its list. */
export function fieldsOf<Row>(columns: readonly Column<Row>[], row: Row): Fields {
  return columns.map(({ head, cell }) => [head, cell(row)]);
}

/** Returns what ended a holding, where the order or the administrator does not say it. */
export const describeEnd = (cause: HoldingEnd | null) =>
  cause === 'lock' ? 'lock released' : cause === 'employee_deleted' ? 'employee deleted' : null;

/** Names who began or ended a holding: an administrator, or 0 for an operator (rules 8). */
export const nameAdministrator = (id: string) => (id === '0' ? 'operator' : `administrator ${id}`);

export const yesOrNo = (is: boolean) => (is ? 'yes' : 'no');

/** Returns a number of orders in words: `1 order`. */
export const countOrders = (count: number | string) => `${count} ${Number(count) === 1 ? 'order' : 'orders'}`;

/**
 * Formats a time in the local time zone, with its offset: 2026-11-22 09:01:02+08:00. Returns a number that is no time
 * as it is.
 */
export function formatTime(timeMs: number | null): string | null {
  if (timeMs === null) return null;
  // toLocaleString would load the locales, which takes longer than a table.
  const offsetMinutes = -new Date(timeMs).getTimezoneOffset();
  const time = new Date(timeMs + offsetMinutes * 60_000);
  if (Number.isNaN(time.getTime())) return String(timeMs);
  const local = time
    .toISOString()
    .replace(/\.\d+Z$/, '')
    .replace('T', ' ');
  const sign = offsetMinutes < 0 ? '-' : '+';
  const pad = (value: number) => String(value).padStart(2, '0');
  const minutes = Math.abs(offsetMinutes);
  return `${local}${sign}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
}
