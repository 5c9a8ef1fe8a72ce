import { z } from 'zod';
import { Refusal } from './causes.ts';

/** How deep lists and objects may nest. Merchandise at its own limit comes to 41. */
const MAX_DEPTH = 64;
/** The elements of all lists of a call together (rules 4). */
export const MAX_ELEMENTS = 500_000;
/** The members of one object. The largest object of the interface has 20. */
const MAX_MEMBERS = 1_000;
/** The members of all objects of a call together. 32 MiB of product features alone hold 2,100,000. */
const MAX_ALL_MEMBERS = 2_500_000;

/** The lists that hold merchandise, and how deep they may nest (rules 6.1). */
const MERCHANDISE_LISTS = ['merchandises', 'children'];
const MAX_MERCHANDISE_DEPTH = 16;
/** The longest of these names with every character written as an escape. */
const MAX_MERCHANDISE_KEY_BYTES = 6 * 'merchandises'.length;

/** How much of a key a refusal repeats. */
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
 * Refuses a JSON text that would cost too much, before it is parsed. Parsing and checking take time and memory for
 * every element and stack for every level, and a few kilobytes can ask for gigabytes. It scans the text once and counts
 * every list and object, also those that no schema knows. It does not check that the text is JSON.
 *
 * `maxListElements` bounds each list. Without it only the sum of all lists is bounded here, and each list by its
 * schema.
 *
 * Throws a Refusal: list_too_long, merchandise_too_deep, json_too_deep (rules 4 and 6.1); json_malformed for a text
 * that nests too deep and never closes.
 */
export function checkJsonShape(text: Buffer, maxListElements = MAX_ELEMENTS): void {
  const place = new Place(text, maxListElements);
  /** The previous byte, not counting blanks and the inside of strings. */
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

/** A list or an object that encloses the current place. */
interface Around {
  isList: boolean;
  /** How many of its elements or members came before the current one. */
  before: number;
  /** Where the key of the current member starts and ends, without its quotes. */
  keyStart: number;
  keyEnd: number;
  /** How many lists of merchandise enclose the current place, including this one. */
  merchandiseDepth: number;
}

/** The current place in a JSON text: what encloses it, and how much came before it. */
class Place {
  depth = 0;
  readonly #text: Buffer;
  readonly #maxListElements: number;
  /** Those behind `depth` are closed. */
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

  /** Notes that the last string was the key of a member. */
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

  /** Counts an element or a member that begins here. Throws a Refusal if it is one too many. */
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

  /** Throws a Refusal. `levels` says how many of the enclosing lists and objects belong to the path that it names. */
  #refuse(cause: 'list_too_long' | 'merchandise_too_deep', levels: number, most = MAX_MERCHANDISE_DEPTH): never {
    const path = this.#around
      .slice(0, levels)
      .map(({ isList, before, keyStart, keyEnd }) =>
        isList ? before : this.#text.toString('utf8', keyStart, Math.min(keyEnd, keyStart + MAX_NAMED_BYTES)),
      );
    throw new Refusal(cause, path.length === 0 ? 'body' : z.core.toDotPath(path), most);
  }
}

/** Reads a key with escapes as JSON.parse does. Returns an empty text for one that JSON.parse cannot read. */
function readKey(key: string): string {
  try {
    return JSON.parse(`"${key}"`) as string;
  } catch {
    return '';
  }
}

/** Finds the closing quote of the string that starts at a place; the end of the text if there is none. */
function findStringEnd(text: Buffer, start: number): number {
  for (let at = start; at < text.length; at++) {
    const byte = text[at];
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH) at++;
  }
  return text.length;
}

/**
 * Builds the refusal of a text that nests too deep: json_too_deep if every level is closed again, else json_malformed.
 */
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
