import { createHash } from 'node:crypto';
import { isId } from './postgres/statement.ts';

/** Length of the digest at the end of a cursor: 66 bits, which catch mistakes. It is not a secret. */
const DIGEST_CHARACTERS = 11;

/** Whether a text is valid for one part of a position in a list. No part contains a line break. */
export type CursorPart = (text: string) => boolean;

/** The cursor belongs to another list, caller or filter, or is invalid. */
export class WrongCursor extends Error {
  constructor() {
    super('the cursor is invalid');
    this.name = 'WrongCursor';
  }
}

/** The cursors of one list: texts of A-Z a-z 0-9 _ -, which clients send back to get the next page. */
export class ListCursor {
  readonly #scope: readonly unknown[];
  /** The position after which the page begins; null for the first page. */
  readonly after: readonly string[] | null;

  /**
   * `scope`: the name of the list, its owner, its filters, and whatever else decides which entries it has, as JSON.
   * `parts`: validates each part of a position, because clients can send any cursor; by default the position is one id.
   * Throws a WrongCursor.
   */
  constructor(scope: readonly unknown[], cursor: string | undefined, parts: readonly CursorPart[] = [isId]) {
    this.#scope = scope;
    this.after = null;
    if (cursor === undefined) return;
    const text = cursor.slice(0, -DIGEST_CHARACTERS);
    const place = Buffer.from(text, 'base64url').toString().split('\n');
    const isValid = place.length === parts.length && parts.every((isPart, index) => isPart(place[index]!));
    if (!isValid || this.#sign(text) !== cursor) throw new WrongCursor();
    this.after = place;
  }

  /** Returns the cursor after a position; null at the end of the list. */
  write(place: readonly string[] | null): string | null {
    return place === null ? null : this.#sign(Buffer.from(place.join('\n')).toString('base64url'));
  }

  /** Cuts rows, of which a list reads one more than its limit, to a page, and writes the cursor after it. */
  cut<Row>(rows: readonly Row[], limit: number, placeOf: (row: Row) => readonly string[]) {
    const page = rows.slice(0, limit);
    return { page, nextCursor: this.write(rows.length > limit ? placeOf(page.at(-1)!) : null) };
  }

  #sign(text: string): string {
    const digest = createHash('sha256')
      .update(JSON.stringify([this.#scope, text]))
      .digest('base64url');
    return text + digest.slice(0, DIGEST_CHARACTERS);
  }
}
