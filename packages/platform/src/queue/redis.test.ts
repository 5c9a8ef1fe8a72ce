import { ForwardedAddress } from '@lockstep/test/harness/network/forwarded-address';
import { freePort } from '@lockstep/test/harness/network/redis';
import { afterEach, describe, expect, inject, it, vi } from 'vitest';
import { createLogger } from '../process/log.ts';
import { JobQueue, openConsumer } from './queue.ts';

describe('a queue on Redis', () => {
  const lines: string[] = [];
  const log = createLogger(
    { name: 'test', level: 'info', secrets: new Set() },
    { write: (line) => void lines.push(line) },
  );
  let way: ForwardedAddress | undefined;
  const closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
    way?.close();
  });

  it('that was away when the process started takes jobs as soon as Redis is there', async () => {
    const port = await freePort();
    const backend = { kind: 'redis', url: `redis://127.0.0.1:${port}`, prefix: `late-${port}` } as const;
    const producer = new JobQueue<{ type: string }>(backend, 'jobs', log);
    await expect(producer.add({ type: 'early' })).rejects.toThrow();
    expect(await producer.isReachable()).toBe(false);
    const taken: Promise<string> = new Promise((resolve) => {
      const process = async ({ type }: { type: string }) => resolve(type);
      const consumer = openConsumer<{ type: string }>(backend, 'jobs', { concurrency: 1, log, process });
      closing.push(consumer.close);
    });

    way = await ForwardedAddress.open(inject('redisUrl'), { port });
    expect(await producer.isReachable()).toBe(true);
    await producer.add({ type: 'late' });
    expect(await taken).toBe('late');
    await producer.close();
  });

  it('whose Redis is away is closed at once, with or without an earlier connection', async () => {
    const port = await freePort();
    const backend = { kind: 'redis', url: `redis://127.0.0.1:${port}`, prefix: `away-${port}` } as const;
    const taken = Promise.withResolvers<void>();
    const open = () => openConsumer(backend, 'jobs', { concurrency: 1, log, process: async () => taken.resolve() });
    await open().close();
    way = await ForwardedAddress.open(inject('redisUrl'), { port });
    const [producer, consumer] = [new JobQueue(backend, 'jobs', log), open()];
    await producer.add({ type: 'any' });
    await taken.promise;
    await producer.close();
    lines.length = 0;
    way.close();
    await vi.waitUntil(() => lines.some((line) => line.includes('queue connection failed')));
    await consumer.close();
    expect(lines.filter((line) => line.includes('queue close failed'))).toEqual([]);
  });
});
