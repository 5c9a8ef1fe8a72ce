import { createHash } from 'node:crypto';

/** Length of the digest at the end of a cursor: 66 bits, which catch mistakes. It is not a secret. */
const DIGEST_CHARACTERS = 11;

/**
 * What a cursor belongs to: the name of the list, its owner, and its filters. Different scopes must have different
 * JSON.
 */
export type CursorScope = readonly unknown[];

/** Whether a text is valid for one part of a position in a list. */
export type CursorPart = (text: string) => boolean;

/** The cursor belongs to another list, caller or filter, or is invalid. */
export class WrongCursor extends Error {
  constructor() {
    super('must be the nextCursor of a page of this list');
    this.name = 'WrongCursor';
  }
}

/** The cursors of one list: where a page begins, and where the next one begins. */
export class ListCursor {
  readonly #scope: CursorScope;
  /** The position after which the page begins; null for the first page. */
  readonly after: readonly string[] | null;

  /**
   * `scope`: everything that decides which entries the list has; an undefined field of an object counts as absent.
   * `parts`: validates each part of a position; by default the position is one id. Throws a WrongCursor.
   */
  constructor(scope: CursorScope, cursor: string | undefined, parts: readonly CursorPart[] = [isId]) {
    this.#scope = scope;
    this.after = cursor === undefined ? null : readCursor(scope, cursor, parts);
    if (cursor !== undefined && this.after === null) throw new WrongCursor();
  }

  /** Returns the cursor after a position; null at the end of the list. */
  write(place: readonly string[] | null): string | null {
    return place === null ? null : writeCursor(this.#scope, place);
  }
}

/** Encodes a position in a list as a text of A-Z a-z 0-9 _ -, which clients send back to get the next page. */
export function writeCursor(scope: CursorScope, place: readonly string[]): string {
  const text = Buffer.from(JSON.stringify(place)).toString('base64url');
  return text + digest(scope, text);
}

/**
 * Decodes a cursor. `parts` validates each part of the position, because clients can send any cursor. Returns null if
 * the cursor is cut or changed, belongs to another scope, or has other parts.
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

/** Whether a text is a valid row id: decimal digits without a leading zero, within 63 bits. */
export function isId(text: string): boolean {
  return DIGITS.test(text) && BigInt(text) <= MAX_ID;
}
