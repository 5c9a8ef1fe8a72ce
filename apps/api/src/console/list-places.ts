import { Refusal } from '@lockstep/contract';
import { type CursorPart, isId, readCursor, writeCursor } from '@lockstep/platform';

/** The cursors of one list with certain filters: where a page begins, and where the next one does. */
export class ListPlaces {
  readonly #scope: readonly unknown[];
  /** The parts of the place behind which the page begins; null for the first page. */
  readonly after: readonly string[] | null;

  /**
   * `filters`: all that decides which entries the list has; what is undefined counts as absent. `parts`: whether a text can
   * be each part of a place.
   *
   * Throws a Refusal: field_invalid, for a cursor of another list or filter, and for one that was made up.
   */
  constructor(list: string, filters: object, cursor: string | undefined, parts: readonly CursorPart[] = [isId]) {
    this.#scope = ['console', list, filters];
    this.after = cursor === undefined ? null : readCursor(this.#scope, cursor, parts);
    if (cursor !== undefined && this.after === null) {
      throw new Refusal('field_invalid', 'cursor', 'is not a cursor of this list');
    }
  }

  /** Writes the cursor behind a place; null at the end. */
  write(place: readonly string[] | null): string | null {
    return place === null ? null : writeCursor(this.#scope, place);
  }
}
