import { type CursorPart, isId, ListCursor } from '@lockstep/platform';
import type { Viewer } from './filters.ts';

/** The lists, and the parts of a place in each: PostgreSQL's text of when a batch was accepted, and the id. */
const PARTS = {
  batches: [isTimeText, isId],
  orders: [isTimeText, isId],
  ordersByName: [isId],
  allBatches: [isTimeText, isId],
  allOrders: [isId],
} satisfies Record<string, CursorPart[]>;

/**
 * Opens the cursors of one list of one viewer with certain filters: all that decides which entries the list has. Throws
 * a WrongCursor.
 */
export function openCursor(
  list: keyof typeof PARTS,
  viewer: Viewer,
  filters: object,
  cursor: string | undefined,
): ListCursor {
  return new ListCursor([list, viewer.applicationId, filters], cursor, PARTS[list]);
}

const TIME_TEXT = /^(2\d{3}-\d\d-\d\d) (\d\d:\d\d:\d\d)(\.\d{1,6})?[+-](0\d|1[0-4])(:[0-5]\d)?$/;

/** Whether PostgreSQL can have written a text as the time of something here, and will read it. */
function isTimeText(text: string): boolean {
  const [, date, time] = TIME_TEXT.exec(text) ?? [];
  if (date === undefined) return false;
  const read = new Date(`${date}T${time}Z`);
  // A day that a month does not have becomes one of the next.
  return !Number.isNaN(read.getTime()) && read.toISOString().startsWith(date);
}
