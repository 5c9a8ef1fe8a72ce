import { createHash } from 'node:crypto';

/** Characters of the digest at the end of a cursor: 66 bits, against mistakes; it is no secret. */
const DIGEST_CHARACTERS = 11;

/** What a cursor belongs to: the name of the list, whose it is, and its filters. JSON must tell them apart. */
export type CursorScope = readonly unknown[];

/** Whether a text can be a certain part of the places in a list. */
export type CursorPart = (text: string) => boolean;

/** A cursor of another list, caller or filter, or one that was made up. */
export class WrongCursor extends Error {
  constructor() {
    super('must be the nextCursor of another page of this list');
    this.name = 'WrongCursor';
  }
}

/** The cursors of one list: where a page begins, and where the next one does. */
export class ListCursor {
  readonly #scope: CursorScope;
  /** The place behind which the page begins; null for the first page. */
  readonly after: readonly string[] | null;

  /**
   * `scope`: all that decides which entries the list has; what is undefined in an object counts as absent. `parts`:
   * whether a text can be each part of a place; an id alone if absent. Throws a WrongCursor.
   */
  constructor(scope: CursorScope, cursor: string | undefined, parts: readonly CursorPart[] = [isId]) {
    this.#scope = scope;
    this.after = cursor === undefined ? null : readCursor(scope, cursor, parts);
    if (cursor !== undefined && this.after === null) throw new WrongCursor();
  }

  /** Writes the cursor behind a place; null at the end. */
  write(place: readonly string[] | null): string | null {
    return place === null ? null : writeCursor(this.#scope, place);
  }
}

/** Writes a place in a list as a text of A-Z a-z 0-9 _ - for clients, who send it back to go on from there. */
export function writeCursor(scope: CursorScope, place: readonly string[]): string {
  const text = Buffer.from(JSON.stringify(place)).toString('base64url');
  return text + digest(scope, text);
}

/**
 * Reads the place of a cursor. `parts`: whether a text can be each part of such a place, because anybody can make up a
 * cursor. Returns null if it is cut or changed, was not written for this scope, or has other parts.
 */
export function readCursor(scope: CursorScope, cursor: string, parts: readonly CursorPart[]): readonly string[] | null {
  const text = cursor.slice(0, -DIGEST_CHARACTERS);
  if (digest(scope, text) !== cursor.slice(-DIGEST_CHARACTERS)) return null;
  const place = parseJson(Buffer.from(text, 'base64url').toString());
  if (!Array.isArray(place) || place.length !== parts.length) return null;
  return parts.every((isPart, index) => typeof place[index] === 'string' && isPart(place[index])) ? place : null;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function digest(scope: CursorScope, text: string): string {
  return createHash('sha256')
    .update(JSON.stringify([scope, text]))
    .digest('base64url')
    .slice(0, DIGEST_CHARACTERS);
}

const MAX_ID = 9_223_372_036_854_775_807n;
const DIGITS = /^[1-9]\d{0,18}$/;

/** Whether a text can be the id of a row: decimal digits without a leading zero, within 63 bits. */
export function isId(text: string): boolean {
  return DIGITS.test(text) && BigInt(text) <= MAX_ID;
}
