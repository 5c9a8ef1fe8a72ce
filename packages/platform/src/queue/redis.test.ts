import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, inject, it, vi } from 'vitest';
import { createLogger } from '../process/log.ts';
import { JobQueue, openConsumer } from './queue.ts';

describe('a queue on Redis', () => {
  const lines: string[] = [];
  const log = createLogger(
    { name: 'test', level: 'info', secrets: new Set() },
    { write: (line) => void lines.push(line) },
  );
  let way: Server | undefined;
  const closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
    way?.close();
  });

  it('that was away when the process started takes jobs as soon as Redis is there', async () => {
    const port = await portWithoutServer();
    const backend = { kind: 'redis', url: `redis://127.0.0.1:${port}`, prefix: `late-${port}` } as const;
    const producer = new JobQueue<{ type: string }>(backend, 'jobs', log);
    await expect(producer.add({ type: 'early' })).rejects.toThrow();
    expect(await producer.isReachable()).toBe(false);
    const taken: Promise<string> = new Promise((resolve) => {
      const process = async ({ type }: { type: string }) => resolve(type);
      const consumer = openConsumer<{ type: string }>(backend, 'jobs', { concurrency: 1, log, process });
      closing.push(consumer.close);
    });

    way = await leadToRedis(port);
    expect(await producer.isReachable()).toBe(true);
    await producer.add({ type: 'late' });
    expect(await taken).toBe('late');
    await producer.close();
  });

  it('whose Redis is away is closed at once, with or without an earlier connection', async () => {
    const port = await portWithoutServer();
    const backend = { kind: 'redis', url: `redis://127.0.0.1:${port}`, prefix: `away-${port}` } as const;
    const taken = Promise.withResolvers<void>();
    const open = () => openConsumer(backend, 'jobs', { concurrency: 1, log, process: async () => taken.resolve() });
    await open().close();
    way = await leadToRedis(port);
    const [producer, consumer] = [new JobQueue(backend, 'jobs', log), open()];
    await producer.add({ type: 'any' });
    await taken.promise;
    await producer.close();
    way.close();
    lines.length = 0;
    for (const socket of ways.splice(0)) socket.destroy();
    await vi.waitUntil(() => lines.some((line) => line.includes('queue connection failed')));
    await consumer.close();
    expect(lines.filter((line) => line.includes('queue close failed'))).toEqual([]);
  });
});

async function portWithoutServer(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** The open sockets of leadToRedis. */
const ways: Socket[] = [];

/** Forwards connections to a port to the Redis of the test run. */
async function leadToRedis(port: number): Promise<Server> {
  const redis = new URL(inject('redisUrl'));
  const lead = (from: Socket) => {
    const to = connect(Number(redis.port || 6379), redis.hostname);
    ways.push(from, to);
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const) {
      one.on('error', () => other.destroy());
      one.pipe(other);
    }
  };
  const server = createServer(lead).listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
