import { setImmediate as giveWay } from 'node:timers/promises';

/** The least length of each piece but the last, in UTF-16 units: a millisecond's work. */
const PIECE_CHARACTERS = 64 * 1024;

/**
 * A list in a value that is written as JSON: its items are taken one by one, and none is kept. Arrays are written at
 * once.
 */
type Listed = AsyncIterable<unknown> | IteratorObject<unknown, undefined>;

/**
 * Writes a value as JSON, in pieces, as JSON.stringify would with arrays in place of the lists. Gives way to other work
 * on the event loop after each piece, and takes nothing of the lists for the next one before somebody asks for it.
 * Yields all pieces but the last, and returns that.
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
    // Waiting for what is there already would take as long as writing it.
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

/** Whether an object holds a list, or an object that does. */
function holdsLists(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  // Not Object.values, whose array would cost more than all else here.
  for (const name in value) {
    const member = value[name as keyof typeof value] as unknown;
    if (typeof member === 'object' && (isListed(member) || holdsLists(member))) return true;
  }
  return false;
}
