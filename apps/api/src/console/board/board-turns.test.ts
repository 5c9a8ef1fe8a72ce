import type { QueueView, ViewedQueue } from '@lockstep/platform';
import { expect, it, vi } from 'vitest';
import { BoardTurns } from './board-turns.ts';

const TOO_SLOW = new Error('too slow');
const { signal } = new AbortController();

/** Turns at a queue that gives up each look, while the work of it goes on. */
function turnsAtSlowQueue() {
  const use = async (work: (queue: ViewedQueue) => Promise<unknown>) => {
    void work({} as ViewedQueue);
    throw TOO_SLOW;
  };
  return new BoardTurns({ use } as unknown as QueueView);
}

it('keeps the place of a look that was given up until its work has ended', async () => {
  const turns = turnsAtSlowQueue();
  const { promise: slow, resolve: end } = Promise.withResolvers<void>();
  for (let look = 0; look < 3; look++) await expect(turns.run('1', signal, () => slow)).rejects.toThrow(TOO_SLOW);
  const work = vi.fn(async () => {});
  const waiting = turns.run('2', signal, work).catch((error: unknown) => error);
  await new Promise(setImmediate);
  expect(work).not.toHaveBeenCalled();
  end();
  expect(await waiting).toBe(TOO_SLOW);
  expect(work).toHaveBeenCalledOnce();
});

it('gives the place back where the queue cannot even be opened', async () => {
  const turns = new BoardTurns({ use: () => Promise.reject(TOO_SLOW) } as unknown as QueueView);
  for (let look = 0; look < 5; look++) await expect(turns.run('1', signal, vi.fn())).rejects.toThrow(TOO_SLOW);
});
