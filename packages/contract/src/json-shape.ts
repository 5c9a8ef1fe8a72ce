import { formatPath, Refusal } from './causes.ts';

/** Maximum nesting of lists and objects. Merchandise at its own limit reaches 41. */
const MAX_DEPTH = 64;
/** Maximum elements of all lists of a call (rules 4). */
export const MAX_ELEMENTS = 50_000;
/** Maximum members of an object. The largest object of the interface has 20. */
const MAX_MEMBERS = 100;
/** Maximum members of all objects of a call. 4 MiB of product features have 260,000. */
const MAX_ALL_MEMBERS = 300_000;

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
 * unknown fields. It does not check that the text is JSON. Returns the number of members of all objects.
 *
 * `maxListElements` limits each list. Without it, this function limits only the sum of all lists, and schemas limit
 * each list.
 *
 * Throws a Refusal: list_too_long, merchandise_too_deep, json_too_deep (rules 4 and 6.1).
 */
export function checkJsonShape(text: Buffer, maxListElements = MAX_ELEMENTS): number {
  return scan(text, new Place(text, maxListElements)).members;
}

/**
 * Returns the path of the first key that an object repeats, in a text that `checkJsonShape` accepts; undefined if there
 * is none. `value`: what the text was parsed to, which has fewer members than the text if a key was lost.
 */
export function findRepeatedKey(text: Buffer, members: number, value: unknown): string | undefined {
  return countMembers(value) < members ? scan(text, new Place(text, MAX_ELEMENTS, true)).repeatedKey : undefined;
}

function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) for (const element of value) count += countMembers(element);
  else for (const name in value) count += 1 + countMembers((value as Record<string, unknown>)[name]);
  return count;
}

/** Passes through a text. Throws the Refusals of checkJsonShape. */
function scan(text: Buffer, place: Place): Place {
  /** The previous byte, except blanks and the contents of strings. */
  let previous = 0;
  for (let at = 0; at < text.length; at++) {
    const byte = text[at]!;
    if (byte <= SPACE) continue;
    const opened = previous === OPEN_LIST || previous === OPEN_OBJECT;
    if (opened && byte !== CLOSE_LIST && byte !== CLOSE_OBJECT) place.enterItem();
    previous = byte;
    switch (byte) {
      case QUOTE:
        at = place.passString(at + 1);
        break;
      case COLON:
        place.noteKey();
        break;
      case COMMA:
        place.leaveItem();
        place.enterItem();
        break;
      case OPEN_LIST:
      case OPEN_OBJECT:
        if (place.depth === MAX_DEPTH) throw new Refusal('json_too_deep', MAX_DEPTH);
        place.open(byte === OPEN_LIST);
        break;
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        place.close();
        break;
    }
  }
  return place;
}

/** A list or object that encloses the current position. */
interface Around {
  isList: boolean;
  /** How many of its elements or members precede the current one. */
  before: number;
  /** Start and end of the key of the current member, without quotes. */
  keyStart: number;
  keyEnd: number;
  /** Its keys, if repeated ones are looked for. */
  keys?: Set<string>;
  /** How many lists of merchandise enclose the current position, including this one. */
  merchandiseDepth: number;
}

/** The current position in a JSON text: its enclosing lists and objects, and the counts so far. */
class Place {
  depth = 0;
  /** The members of all objects so far. */
  members = 0;
  repeatedKey: string | undefined;
  readonly #text: Buffer;
  readonly #maxListElements: number;
  readonly #findsRepeated: boolean;
  /** Entries from `depth` on are closed. */
  readonly #around: Around[] = [];
  #elements = 0;
  #stringStart = 0;
  #stringEnd = 0;

  constructor(text: Buffer, maxListElements: number, findsRepeated = false) {
    this.#text = text;
    this.#maxListElements = maxListElements;
    this.#findsRepeated = findsRepeated;
  }

  /** Passes a string that starts here. Returns the position of its closing quote, or the end of the text. */
  passString(start: number): number {
    const text = this.#text;
    this.#stringStart = start;
    let at = start;
    for (; at < text.length && text[at] !== QUOTE; at++) if (text[at] === BACKSLASH) at++;
    this.#stringEnd = at;
    return at;
  }

  /** Records that the last string is the key of a member. */
  noteKey(): void {
    const innermost = this.#around[this.depth - 1];
    if (innermost === undefined || innermost.isList) return;
    innermost.keyStart = this.#stringStart;
    innermost.keyEnd = this.#stringEnd;
    if (!this.#findsRepeated || this.repeatedKey !== undefined) return;
    innermost.keys ??= new Set();
    const { size } = innermost.keys;
    const key = this.#readKey(innermost.keyStart, innermost.keyEnd);
    if (innermost.keys.add(key).size === size) this.repeatedKey = this.#pathOf(this.depth);
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
    const all = isList ? ++this.#elements : ++this.members;
    const mostOfAll = isList ? MAX_ELEMENTS : MAX_ALL_MEMBERS;
    if (all > mostOfAll) this.#refuse('list_too_long', this.depth - 1, mostOfAll);
  }

  #isMerchandise(object: Around | undefined): boolean {
    if (object === undefined || object.isList) return false;
    const { keyStart, keyEnd } = object;
    if (keyEnd - keyStart > MAX_MERCHANDISE_KEY_BYTES) return false;
    return MERCHANDISE_LISTS.includes(this.#readKey(keyStart, keyEnd));
  }

  /** Returns a key without escapes, or as it is if JSON.parse fails. */
  #readKey(start: number, end: number): string {
    const key = this.#text.toString('utf8', start, end);
    if (!key.includes('\\')) return key;
    try {
      return JSON.parse(`"${key}"`) as string;
    } catch {
      return key;
    }
  }

  /** Throws a Refusal. `levels`: how many of the enclosing lists and objects its path has. */
  #refuse(cause: 'list_too_long' | 'merchandise_too_deep', levels: number, most = MAX_MERCHANDISE_DEPTH): never {
    throw new Refusal(cause, levels === 0 ? 'body' : this.#pathOf(levels), most);
  }

  #pathOf(levels: number): string {
    const path = this.#around
      .slice(0, levels)
      .map(({ isList, before, keyStart, keyEnd }) =>
        isList ? before : this.#readKey(keyStart, Math.min(keyEnd, keyStart + MAX_NAMED_BYTES)),
      );
    return formatPath(path);
  }
}
