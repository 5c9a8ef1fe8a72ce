import { describe, expect, it, vi } from 'vitest';
import { printList, readPages } from './lists.ts';

/** A list of these pages, whose cursors are their indexes. `asked` has the requested pages. */
function listOf(...pages: string[][]) {
  const asked: { limit: string; cursor: string | undefined }[] = [];
  const readPage = async (page: { limit: string; cursor: string | undefined }) => {
    asked.push(page);
    const index = Number(page.cursor ?? 0);
    return { items: pages[index]!, nextCursor: index + 1 < pages.length ? String(index + 1) : null };
  };
  return { asked, readPage };
}

/** Reads all entries, and whether more may follow. */
async function readAll(readPage: ReturnType<typeof listOf>['readPage'], most?: number) {
  const read: string[] = [];
  const hasMore = await readPages(readPage, (items) => read.push(...items), most);
  return [read.join(''), hasMore];
}

describe('the entries of a list', () => {
  it('come from all pages, even after short and empty ones', async () => {
    const { readPage, asked } = listOf(['a', 'b'], [], [], ['c'], []);
    expect(await readAll(readPage, 50)).toEqual(['abc', false]);
    expect(asked.map(({ cursor }) => cursor)).toEqual([undefined, '1', '2', '3', '4']);
  });

  it('are at most as many as requested', async () => {
    const { readPage, asked } = listOf(['a', 'b'], [], ['c', 'd'], ['e']);
    expect(await readAll(readPage, 3)).toEqual(['abc', true]);
    expect(asked.map(({ limit }) => limit)).toEqual(['3', '1', '1']);
  });

  it('end with an error if a cursor comes again', async () => {
    const asked: (string | undefined)[] = [];
    const readPage = async ({ cursor }: { cursor: string | undefined }) => {
      asked.push(cursor);
      return { items: ['a'], nextCursor: cursor === '1' ? '2' : '1' };
    };
    await expect(readAll(readPage, 50)).rejects.toMatchObject({ kind: 'unreachable' });
    expect(asked).toEqual([undefined, '1', '2']);
  });

  it('are read in pages of 200 if all are requested', async () => {
    const { readPage, asked } = listOf(['a'], ['b']);
    expect(await readAll(readPage)).toEqual(['ab', false]);
    expect(asked.map(({ limit }) => limit)).toEqual(['200', '200']);
  });

  it('may end with exactly as many as requested', async () => {
    expect(await readAll(listOf(['a', 'b']).readPage, 2)).toEqual(['ab', false]);
    expect(await readAll(listOf(['a', 'b'], []).readPage, 2)).toEqual(['ab', true]);
  });
});

describe('a printed list', () => {
  const columns = [{ head: 'name', cell: (name: string) => name }];
  /** Returns what was written while `run` ran. */
  const written = async (stream: 'stdout' | 'stderr', run: () => Promise<void>): Promise<string> => {
    const write = vi.spyOn(process[stream], 'write').mockReturnValue(true);
    await run();
    const text = write.mock.calls.map(([chunk]) => chunk).join('');
    write.mockRestore();
    return text;
  };

  it('shows the entries read before a page failed', async () => {
    const { readPage } = listOf(['a', 'b'], []);
    const failing: typeof readPage = async (page) => {
      if (page.cursor === '1') throw new Error('page failed');
      return await readPage(page);
    };
    const shown = await written('stdout', () =>
      expect(printList(failing, columns, { limit: 50 })).rejects.toThrow('page failed'),
    );
    expect(shown).toBe('name\na\nb\n');
  });

  it.each([
    [1, ['--limit 2', '--all']],
    [600_000, ['--limit 1000000', '--all']],
    [1_000_000, ['--all']],
  ])('of %i entries names the options that show more', async (limit, options) => {
    const full = Array<string>(limit).fill('a');
    const readPage = async () => ({ items: full, nextCursor: 'more' });
    let said = '';
    await written('stdout', async () => {
      said = await written('stderr', () => printList(readPage, columns, { limit, json: true }));
    });
    expect(said.match(/--limit \d+|--all/g)).toEqual(options);
  });
});
