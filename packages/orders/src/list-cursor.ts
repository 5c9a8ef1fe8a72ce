import { Refusal } from '@lockstep/contract';
import { type CursorPart, isId, readCursor, writeCursor } from '@lockstep/platform';
import type { Viewer } from './list-filters.ts';

/** The lists, and the parts of a place in each: PostgreSQL's text of when a batch was accepted, and the id. */
const PARTS = {
  batches: [isTimeText, isId],
  orders: [isTimeText, isId],
  ordersByName: [isId],
  allBatches: [isTimeText, isId],
  allOrders: [isId],
} satisfies Record<string, CursorPart[]>;

/** The cursors of one list of one viewer with certain filters: where a page begins, and where the next one does. */
export class ListCursor {
  readonly #scope: readonly unknown[];
  /** The place behind which the page begins; null for the first page. */
  readonly after: readonly string[] | null;

  /**
   * `filters`: all that decides which entries the list has; what is undefined
   * counts as absent.
   *
   * Throws a Refusal: field_invalid, for a cursor of another list, caller or filter, and for one that was made up.
   */
  constructor(list: keyof typeof PARTS, viewer: Viewer, filters: object, cursor: string | undefined) {
    this.#scope = [list, viewer.applicationId, filters];
    this.after = cursor === undefined ? null : readCursor(this.#scope, cursor, PARTS[list]);
    if (cursor !== undefined && this.after === null) {
      throw new Refusal('field_invalid', 'cursor', 'is not a cursor of this list');
    }
  }

  /** Writes the cursor behind a place; null at the end. */
  write(place: readonly string[] | null): string | null {
    return place === null ? null : writeCursor(this.#scope, place);
  }
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
