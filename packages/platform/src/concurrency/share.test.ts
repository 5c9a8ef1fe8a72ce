import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { share } from './share.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** Returns a reading that takes this long, as a mock that counts its calls. */
function takingMs(durationMs: number) {
  const read = vi.fn(
    () => new Promise<number>((resolve) => setTimeout(() => resolve(read.mock.calls.length), durationMs)),
  );
  return { read, reading: share(read) };
}

it('is shared by callers while it runs and shortly after', async () => {
  const { read, reading } = takingMs(20);
  const all = [reading(), reading()];
  await vi.advanceTimersByTimeAsync(20);
  expect(await Promise.all([...all, reading()])).toEqual([1, 1, 1]);
  await vi.advanceTimersByTimeAsync(1_000);
  void reading();
  expect(read).toHaveBeenCalledTimes(2);
});

it('is kept longer if it took longer', async () => {
  const { read, reading } = takingMs(500);
  void reading();
  await vi.advanceTimersByTimeAsync(500 + 4_900);
  void reading();
  expect(read).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(100);
  void reading();
  expect(read).toHaveBeenCalledTimes(2);
});

it('is kept after a failure too, longer if it took longer', async () => {
  const read = vi.fn(() => new Promise<never>((_, reject) => setTimeout(() => reject(new Error('too slow')), 500)));
  const reading = share(read);
  const first = expect(reading()).rejects.toThrow('too slow');
  await vi.advanceTimersByTimeAsync(500);
  await first;
  await vi.advanceTimersByTimeAsync(4_900);
  await expect(reading()).rejects.toThrow('too slow');
  expect(read).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(100);
  const second = expect(reading()).rejects.toThrow('too slow');
  expect(read).toHaveBeenCalledTimes(2);
  await vi.advanceTimersByTimeAsync(500);
  await second;
});

it('is retried at once after a fast failure', async () => {
  const read = vi.fn().mockRejectedValueOnce(new Error('away')).mockResolvedValue('there');
  const reading = share(read);
  await expect(reading()).rejects.toThrow('away');
  expect(await reading()).toBe('there');
});
