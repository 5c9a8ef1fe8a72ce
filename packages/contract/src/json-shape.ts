import { z } from 'zod';
import { Refusal } from './causes.ts';

/** Maximum nesting of lists and objects. Merchandise at its own limit reaches 41. */
const MAX_DEPTH = 64;
/** Maximum elements of all lists of a call (rules 4). */
export const MAX_ELEMENTS = 500_000;
/** Maximum members of an object. The largest object of the interface has 20. */
const MAX_MEMBERS = 1_000;
/** Maximum members of all objects of a call. 32 MiB of product features have 2,100,000. */
const MAX_ALL_MEMBERS = 2_500_000;

/** The lists of merchandise, and their maximum nesting (rules 6.1). */
const MERCHANDISE_LISTS = ['merchandises', 'children'];
const MAX_MERCHANDISE_DEPTH = 16;
/** The longest of these names with every character escaped. */
const MAX_MERCHANDISE_KEY_BYTES = 6 * 'merchandises'.length;

/** How many bytes of a key a refusal quotes. */
const MAX_NAMED_BYTES = 64;

const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Refuses a JSON text that is too expensive to parse. Each element costs time and memory, and each level costs stack: a
 * few kilobytes can take gigabytes. The check scans the text once and counts all lists and objects, including those in
 * unknown fields. It does not check that the text is JSON.
 *
 * `maxListElements` limits each list. Without it, this function limits only the sum of all lists, and schemas limit
 * each list.
 *
 * Throws a Refusal: list_too_long, merchandise_too_deep, json_too_deep (rules 4 and 6.1); json_malformed for a text
 * that nests too deep and never closes.
 */
export function checkJsonShape(text: Buffer, maxListElements = MAX_ELEMENTS): void {
  const place = new Place(text, maxListElements);
  /** The previous byte, except blanks and the contents of strings. */
  let previous = 0;
  for (let at = 0; at < text.length; at++) {
    const byte = text[at]!;
    if (byte <= SPACE) continue;
    const opened = previous === OPEN_LIST || previous === OPEN_OBJECT;
    if (opened && byte !== CLOSE_LIST && byte !== CLOSE_OBJECT) place.enterItem();
    previous = byte;
    switch (byte) {
      case QUOTE: {
        const end = findStringEnd(text, at + 1);
        place.noteString(at + 1, end);
        at = end;
        break;
      }
      case COLON:
        place.noteKey();
        break;
      case COMMA:
        place.leaveItem();
        place.enterItem();
        break;
      case OPEN_LIST:
      case OPEN_OBJECT:
        if (place.depth === MAX_DEPTH) throw buildDepthRefusal(text, at, place.depth);
        place.open(byte === OPEN_LIST);
        break;
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        place.close();
        break;
    }
  }
}

/** A list or object that encloses the current position. */
interface Around {
  isList: boolean;
  /** How many of its elements or members precede the current one. */
  before: number;
  /** Start and end of the key of the current member, without quotes. */
  keyStart: number;
  keyEnd: number;
  /** How many lists of merchandise enclose the current position, including this one. */
  merchandiseDepth: number;
}

/** The current position in a JSON text: its enclosing lists and objects, and the counts so far. */
class Place {
  depth = 0;
  readonly #text: Buffer;
  readonly #maxListElements: number;
  /** Entries from `depth` on are closed. */
  readonly #around: Around[] = [];
  #elements = 0;
  #members = 0;
  #stringStart = 0;
  #stringEnd = 0;

  constructor(text: Buffer, maxListElements: number) {
    this.#text = text;
    this.#maxListElements = maxListElements;
  }

  noteString(start: number, end: number): void {
    this.#stringStart = start;
    this.#stringEnd = end;
  }

  /** Records that the last string is the key of a member. */
  noteKey(): void {
    const innermost = this.#around[this.depth - 1];
    if (innermost === undefined) return;
    innermost.keyStart = this.#stringStart;
    innermost.keyEnd = this.#stringEnd;
  }

  open(isList: boolean): void {
    const outer = this.#around[this.depth - 1];
    const merchandiseDepth = (outer?.merchandiseDepth ?? 0) + (isList && this.#isMerchandise(outer) ? 1 : 0);
    this.#around[this.depth++] = { isList, before: 0, keyStart: 0, keyEnd: 0, merchandiseDepth };
  }

  close(): void {
    if (this.depth > 0) this.depth--;
  }

  leaveItem(): void {
    const innermost = this.#around[this.depth - 1];
    if (innermost !== undefined) innermost.before++;
  }

  /** Counts an element or member that starts here. Throws a Refusal if that exceeds a limit. */
  enterItem(): void {
    const innermost = this.#around[this.depth - 1];
    if (innermost === undefined) return;
    const { isList, before, merchandiseDepth } = innermost;
    if (isList && merchandiseDepth > MAX_MERCHANDISE_DEPTH) this.#refuse('merchandise_too_deep', this.depth);
    const most = isList ? this.#maxListElements : MAX_MEMBERS;
    if (before >= most) this.#refuse('list_too_long', this.depth - 1, most);
    const all = isList ? ++this.#elements : ++this.#members;
    const mostOfAll = isList ? MAX_ELEMENTS : MAX_ALL_MEMBERS;
    if (all > mostOfAll) this.#refuse('list_too_long', this.depth - 1, mostOfAll);
  }

  #isMerchandise(object: Around | undefined): boolean {
    if (object === undefined || object.isList) return false;
    const { keyStart, keyEnd } = object;
    if (keyEnd - keyStart > MAX_MERCHANDISE_KEY_BYTES) return false;
    const key = this.#text.toString('latin1', keyStart, keyEnd);
    return MERCHANDISE_LISTS.includes(key.includes('\\') ? readKey(key) : key);
  }

  /** Throws a Refusal. `levels`: how many of the enclosing lists and objects its path has. */
  #refuse(cause: 'list_too_long' | 'merchandise_too_deep', levels: number, most = MAX_MERCHANDISE_DEPTH): never {
    const path = this.#around
      .slice(0, levels)
      .map(({ isList, before, keyStart, keyEnd }) =>
        isList ? before : this.#text.toString('utf8', keyStart, Math.min(keyEnd, keyStart + MAX_NAMED_BYTES)),
      );
    throw new Refusal(cause, path.length === 0 ? 'body' : z.core.toDotPath(path), most);
  }
}

/** Parses a key with escapes. Returns an empty string if JSON.parse fails. */
function readKey(key: string): string {
  try {
    return JSON.parse(`"${key}"`) as string;
  } catch {
    return '';
  }
}

/** Returns the position of the closing quote of a string, or the end of the text. */
function findStringEnd(text: Buffer, start: number): number {
  for (let at = start; at < text.length; at++) {
    const byte = text[at];
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH) at++;
  }
  return text.length;
}

/** Returns the refusal of a text that nests too deep: json_too_deep if all levels are closed, else json_malformed. */
function buildDepthRefusal(text: Buffer, from: number, depthBefore: number): Refusal {
  let depth = depthBefore;
  for (let at = from; at < text.length; at++) {
    const byte = text[at]!;
    if (byte === QUOTE) at = findStringEnd(text, at + 1);
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) depth++;
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth--;
  }
  return depth === 0 ? new Refusal('json_too_deep', MAX_DEPTH) : new Refusal('json_malformed');
}
