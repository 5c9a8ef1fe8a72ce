import { describe, expect, it } from 'vitest';
import { readEntries } from './lists.ts';

/** A list of these pages, each behind the cursor that is its index; `asked` is what was asked for. */
function listOf(...pages: string[][]) {
  const asked: { limit: string; cursor: string | undefined }[] = [];
  const readPage = async (page: { limit: string; cursor: string | undefined }) => {
    asked.push(page);
    const index = Number(page.cursor ?? 0);
    return { items: pages[index]!, nextCursor: index + 1 < pages.length ? String(index + 1) : null };
  };
  return { asked, readPage };
}

/** Reads all entries, and whether there may be more. */
async function readAll(entries: AsyncGenerator<string, boolean>) {
  const read: string[] = [];
  let next = await entries.next();
  for (; !next.done; next = await entries.next()) read.push(next.value);
  return [read.join(''), next.value];
}

describe('the entries of a list', () => {
  it('are those of all its pages, also behind short and empty ones', async () => {
    const { readPage, asked } = listOf(['a', 'b'], [], [], ['c'], []);
    expect(await readAll(readEntries(readPage, 50))).toEqual(['abc', false]);
    expect(asked.map(({ cursor }) => cursor)).toEqual([undefined, '1', '2', '3', '4']);
  });

  it('are at most as many as asked for, in all', async () => {
    const { readPage, asked } = listOf(['a', 'b'], [], ['c', 'd'], ['e']);
    expect(await readAll(readEntries(readPage, 3))).toEqual(['abc', true]);
    expect(asked.map(({ limit }) => limit)).toEqual(['3', '1', '1']);
  });

  it('are asked for in pages of 200 where all are wanted', async () => {
    const { readPage, asked } = listOf(['a'], ['b']);
    expect(await readAll(readEntries(readPage, Number.POSITIVE_INFINITY))).toEqual(['ab', false]);
    expect(asked.map(({ limit }) => limit)).toEqual(['200', '200']);
  });

  it('may end with exactly as many as asked for', async () => {
    expect(await readAll(readEntries(listOf(['a', 'b']).readPage, 2))).toEqual(['ab', false]);
    expect(await readAll(readEntries(listOf(['a', 'b'], []).readPage, 2))).toEqual(['ab', true]);
  });
});
