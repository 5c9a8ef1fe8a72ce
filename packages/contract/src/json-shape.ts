import { z } from 'zod';
import { Refusal } from './causes.ts';

/** Lists and objects inside one another. Merchandise that nests as deep as it may comes to 41. */
const MAX_DEPTH = 64;
/** Elements of all lists of a call (decisions 4). */
export const MAX_ELEMENTS = 500_000;
/** Members of one object; the largest that the interface knows has 20. */
const MAX_MEMBERS = 1_000;
/** Members of all objects of a call: 32 MiB of nothing but product features hold 2,100,000. */
const MAX_ALL_MEMBERS = 2_500_000;

/** The lists in which merchandise stands, and how many of them may stand in one another (decisions 6.1). */
const MERCHANDISE_LISTS = ['merchandises', 'children'];
const MAX_MERCHANDISE_DEPTH = 16;
/** Of the longest of their names, each character written as an escape. */
const MAX_MERCHANDISE_KEY_BYTES = 6 * 'merchandises'.length;

/** What a refusal repeats of a key. */
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
 * Refuses a JSON text that is too much to work on, before anything is made of it: parsing and checking take time and
 * memory by the elements and stack by the depth, and a few kilobytes can ask for gigabytes. It looks once at every list
 * and object, whether or not a schema knows it. Whether the text is JSON at all, it does not say.
 *
 * `maxListElements` bounds every list; without it lists are bounded together, and each by its schema.
 *
 * Throws a Refusal: list_too_long, merchandise_too_deep, json_too_deep (decisions 4 and 6.1); json_malformed for what
 * nests too deep and is never closed.
 */
export function checkJsonShape(text: Buffer, maxListElements = MAX_ELEMENTS): void {
  const place = new Place(text, maxListElements);
  /** The byte before, without blanks and what is inside strings. */
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

/** A list or an object around a place of the text. */
interface Around {
  isList: boolean;
  /** Elements or members that came before the one at the place. */
  before: number;
  /** Where the key of the member at the place stands, without its quotes. */
  keyStart: number;
  keyEnd: number;
  /** Lists of merchandise around the place, this one included. */
  merchandiseDepth: number;
}

/** A place in a JSON text: what is around it, and how much came before it. */
class Place {
  depth = 0;
  readonly #text: Buffer;
  readonly #maxListElements: number;
  readonly #around: Around[] = Array.from({ length: MAX_DEPTH }, () => ({
    isList: false,
    before: 0,
    keyStart: 0,
    keyEnd: 0,
    merchandiseDepth: 0,
  }));
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

  /** The string before was the key of a member. */
  noteKey(): void {
    const innermost = this.#around[this.depth - 1];
    if (innermost === undefined) return;
    innermost.keyStart = this.#stringStart;
    innermost.keyEnd = this.#stringEnd;
  }

  open(isList: boolean): void {
    const outer = this.#around[this.depth - 1];
    const inner = this.#around[this.depth++]!;
    inner.isList = isList;
    inner.before = 0;
    inner.keyStart = inner.keyEnd = 0;
    inner.merchandiseDepth = (outer?.merchandiseDepth ?? 0) + (isList && this.#isMerchandise(outer) ? 1 : 0);
  }

  close(): void {
    if (this.depth > 0) this.depth--;
  }

  leaveItem(): void {
    const innermost = this.#around[this.depth - 1];
    if (innermost !== undefined) innermost.before++;
  }

  /** Counts an element or a member that begins here. Throws the Refusal of one too many. */
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

  /** `levels`: how many of the lists and objects around the place are a part of the path. */
  #refuse(cause: 'list_too_long' | 'merchandise_too_deep', levels: number, most = MAX_MERCHANDISE_DEPTH): never {
    const path = this.#around
      .slice(0, levels)
      .map(({ isList, before, keyStart, keyEnd }) =>
        isList ? before : this.#text.toString('utf8', keyStart, Math.min(keyEnd, keyStart + MAX_NAMED_BYTES)),
      );
    throw new Refusal(cause, path.length === 0 ? 'body' : z.core.toDotPath(path), most);
  }
}

/** A key as JSON.parse reads it; what it cannot read is no key. */
function readKey(key: string): string {
  try {
    return JSON.parse(`"${key}"`) as string;
  } catch {
    return '';
  }
}

/** Where the string ends that begins at a place: at its closing quote, or at the end of the text. */
function findStringEnd(text: Buffer, start: number): number {
  for (let from = start; ; ) {
    const quote = text.indexOf(QUOTE, from);
    if (quote === -1) return text.length;
    let backslashes = 0;
    while (text[quote - 1 - backslashes] === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return quote;
    from = quote + 1;
  }
}

/** What nests too deep is refused as that only where it is closed again as often as it was opened. */
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
