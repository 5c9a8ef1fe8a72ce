import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { writeJsonPieces } from './json-pieces.ts';

/** Replaces all arrays of a value by lists, alternating between sync and async ones. */
function listed(value: unknown, depth = 0): unknown {
  if (Array.isArray(value))
    return depth % 2 === 0 ? listedLater(value, depth) : value.values().map((item) => listed(item, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, listed(member, depth + 1)]));
}
async function* listedLater(items: unknown[], depth: number): AsyncGenerator<unknown> {
  for (const item of items) yield listed(item, depth + 1);
}

async function collect(pieces: AsyncGenerator<string, string>): Promise<string[]> {
  const all: string[] = [];
  for (let piece = await pieces.next(); ; piece = await pieces.next()) {
    all.push(piece.value);
    if (piece.done === true) return all;
  }
}

it('writes what JSON.stringify writes of arrays', async () => {
  const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.constant(undefined));
  const { object } = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 4 }, leaf, tie('object'), tie('list')),
    // A list within a list is never a field of an answer.
    list: fc.array(fc.oneof({ maxDepth: 4 }, fc.string(), tie('object')), { maxLength: 4 }),
    object: fc.dictionary(
      fc.string().filter((key) => key !== '__proto__'),
      tie('value'),
      { maxKeys: 4, noNullPrototype: true },
    ),
  }));
  await fc.assert(
    fc.asyncProperty(object, async (value) => {
      expect((await collect(writeJsonPieces(listed(value)))).join('')).toBe(JSON.stringify(value));
    }),
  );
});

it('writes a long list in pieces, reads only the items of the requested piece, and yields to the event loop', async () => {
  let taken = 0;
  const items = Array.from({ length: 5_000 }, (_, index) => ({ index, text: 'x'.repeat(90) }));
  const count = (item: unknown) => {
    taken++;
    return item;
  };
  const pieces = writeJsonPieces({ list: items.values().map(count) });
  let turns = 0;
  const loop = (async () => {
    for (; turns < 1_000; turns++) await nextTurn();
  })();
  const first = await pieces.next();
  expect(first.done).toBe(false);
  expect(taken).toBeLessThan(1_000);
  await loop;
  expect(taken).toBeLessThan(1_000);
  turns = 0;
  void (async () => {
    for (; turns < 1_000; turns++) await nextTurn();
  })();
  const rest = await collect(pieces);
  expect(rest.length).toBeGreaterThan(5);
  expect(turns).toBeGreaterThanOrEqual(rest.length - 1);
  expect(JSON.parse(first.value + rest.join(''))).toEqual({ list: items });
});

it('writes a short answer in one piece', async () => {
  const { value, done } = await writeJsonPieces({ code: 0, data: [1, 2].values() }).next();
  expect([value, done]).toEqual(['{"code":0,"data":[1,2]}', true]);
});
