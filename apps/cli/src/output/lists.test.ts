import { describe, expect, it, vi } from 'vitest';
import { printList } from './lists.ts';

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
    const failing = async function* () {
      yield* ['a', 'b'];
      throw new Error('page failed');
    };
    const shown = await written('stdout', () =>
      expect(printList(failing, columns, { limit: 50 })).rejects.toThrow('page failed'),
    );
    expect(shown).toBe('name\na\nb\n');
  });

  it.each([
    [50, '51'],
    [1_000, '200'],
  ])('of at most %i entries is read in pages of %s', async (limit, size) => {
    let asked = '';
    const read = (pageSize: string) => {
      asked = pageSize;
      return ['a'];
    };
    await written('stdout', () => printList(read, columns, { limit }));
    expect(asked).toBe(size);
  });

  it.each([
    [1, ['--limit 2', '--all']],
    [600_000, ['--limit 1000000', '--all']],
    [1_000_000, ['--all']],
  ])('of %i entries names the options that show more', async (limit, options) => {
    const more = Array<string>(limit + 1).fill('a');
    let said = '';
    await written('stdout', async () => {
      said = await written('stderr', () => printList(() => more, columns, { limit, json: true }));
    });
    expect(said.match(/--limit \d+|--all/g)).toEqual(options);
  });
});
