import { type CursorPart, isId, ListCursor } from '@lockstep/platform';
import type { Viewer } from './filters.ts';

/**
 * The lists, and the parts of a position in each: when a batch was accepted, in PostgreSQL's text format, and an id.
 */
const PARTS = {
  batches: [isTimeText, isId],
  orders: [isTimeText, isId],
  ordersByName: [isId],
  allBatches: [isTimeText, isId],
  allOrders: [isId],
} satisfies Record<string, CursorPart[]>;

/** Opens a cursor for one list, viewer and set of filters. Throws a WrongCursor. */
export function openCursor(
  list: keyof typeof PARTS,
  viewer: Viewer,
  filters: object,
  cursor: string | undefined,
): ListCursor {
  return new ListCursor([list, viewer.applicationId, filters], cursor, PARTS[list]);
}

const TIME_TEXT = /^(2\d{3}-\d\d-\d\d) (\d\d:\d\d:\d\d)(\.\d{1,6})?[+-](0\d|1[0-4])(:[0-5]\d)?$/;

/** Whether a text is a time as PostgreSQL writes it, and a valid one. */
function isTimeText(text: string): boolean {
  const [, date, time] = TIME_TEXT.exec(text) ?? [];
  if (date === undefined) return false;
  const read = new Date(`${date}T${time}Z`);
  // JavaScript turns a day that a month does not have into one of the next month.
  return !Number.isNaN(read.getTime()) && read.toISOString().startsWith(date);
}
