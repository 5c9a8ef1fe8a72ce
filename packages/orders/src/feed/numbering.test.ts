import { expect, it, vi } from 'vitest';
import { Watch } from './numbering.ts';

const { signal } = new AbortController();

it('a call that begins to wait while the process looks for lost news reads again after the look', async () => {
  const looks: { keys: string[]; end: (news: string[]) => void }[] = [];
  const watch = new Watch('test', (keys) => {
    const { promise, resolve } = Promise.withResolvers<string[]>();
    looks.push({ keys, end: resolve });
    return promise;
  });
  const read = vi.fn().mockResolvedValueOnce('nothing').mockResolvedValue('news');
  watch.receive('');
  const waiting = watch.read({ key: 'late', waitSeconds: 30, signal }, read, (found) => found === 'news');
  await vi.waitUntil(() => read.mock.settledResults.length === 1);
  expect(looks.map(({ keys }) => keys)).toEqual([[]]);
  looks[0]!.end([]);
  await vi.waitUntil(() => read.mock.calls.length === 2);
  expect(await waiting).toBe('news');
  watch.close();
});
