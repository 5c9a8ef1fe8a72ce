import { Refusal } from '@lockstep/contract';
import { readCursor, writeCursor } from '@lockstep/platform';
import type { ListCaller } from './list-filters.ts';

/** The cursors of one list of one caller with certain filters: where a page begins, and where the next one does. */
export class ListCursor {
  readonly #scope: readonly unknown[];
  /** The place behind which the page begins; null for the first page. */
  readonly after: readonly string[] | null;

  /**
   * `filters`: all that decides which entries the list has; what is undefined counts as absent.
   *
   * Throws a Refusal: field_invalid, for a cursor of another list, caller or filter.
   */
  constructor(list: string, { applicationId }: ListCaller, filters: object, cursor: string | undefined) {
    this.#scope = [list, applicationId, filters];
    this.after = cursor === undefined ? null : readCursor(this.#scope, cursor);
    if (cursor !== undefined && this.after === null) {
      throw new Refusal('field_invalid', 'cursor', 'is not a cursor of this list');
    }
  }

  /** Writes the cursor behind a place; null at the end. */
  write(place: readonly string[] | null): string | null {
    return place === null ? null : writeCursor(this.#scope, place);
  }
}
