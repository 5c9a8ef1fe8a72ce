import { setImmediate as giveWay } from 'node:timers/promises';

/** The minimum length of each piece but the last, in UTF-16 units: a millisecond of work. */
const PIECE_CHARACTERS = 64 * 1024;

/**
 * A list in a value that is written as JSON. Its items are read one by one and not kept. Arrays are written at once.
 */
type Listed = AsyncIterable<unknown> | IteratorObject<unknown, undefined>;

/**
 * Writes a value as JSON in pieces, as JSON.stringify would with arrays in place of the lists. After each piece, yields
 * to the event loop and reads nothing from the lists until the next piece is requested. Yields all pieces but the last,
 * which it returns.
 */
export async function* writeJsonPieces(value: unknown): AsyncGenerator<string, string> {
  let piece = '';
  for await (const text of write(value)) {
    piece += text;
    if (piece.length < PIECE_CHARACTERS) continue;
    yield piece;
    piece = '';
    await giveWay();
  }
  return piece;
}

async function* write(value: unknown): AsyncGenerator<string> {
  if (isListed(value)) yield* writeList(value);
  else if (holdsLists(value)) yield* writeObject(value);
  else yield JSON.stringify(value);
}

async function* writeObject(value: object): AsyncGenerator<string> {
  let before = '{';
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue;
    yield `${before}${JSON.stringify(key)}:`;
    yield* write(member);
    before = ',';
  }
  yield '}';
}

async function* writeList(items: Listed): AsyncGenerator<string> {
  const iterator = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items;
  let text = '[';
  let before = '';
  for (;;) {
    const taken = iterator.next();
    // Awaiting a value that is not a promise would take as long as writing it.
    const { done, value: item } = taken instanceof Promise ? await taken : taken;
    if (done === true) break;
    text += before;
    before = ',';
    if (!holdsLists(item)) text += JSON.stringify(item);
    else {
      yield text;
      yield* writeObject(item);
      text = '';
    }
    if (text.length < PIECE_CHARACTERS) continue;
    yield text;
    text = '';
  }
  yield `${text}]`;
}

function isListed(value: unknown): value is Listed {
  return typeof value === 'object' && value !== null && (Symbol.asyncIterator in value || value instanceof Iterator);
}

/** Whether an object contains a list, at any depth. */
function holdsLists(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  // Object.values would cost more than the rest of this function.
  for (const name in value) {
    const member = value[name as keyof typeof value] as unknown;
    if (typeof member === 'object' && (isListed(member) || holdsLists(member))) return true;
  }
  return false;
}
