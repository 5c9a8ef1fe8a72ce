import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { createLogger } from '../process/log.ts';
import { openConsumer, openProducer } from './queue.ts';

describe('a queue on Redis that was away when the process started', () => {
  const log = createLogger({ name: 'test', level: 'silent', secrets: new Set() });
  let way: Server | undefined;
  const closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
    way?.close();
  });

  it('takes jobs as soon as Redis is there', async () => {
    const port = await portWithoutServer();
    const backend = { kind: 'redis', url: `redis://127.0.0.1:${port}`, prefix: `late-${port}` } as const;
    const producer = openProducer<{ type: string }>(backend, 'jobs', log);
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
});

async function portWithoutServer(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Forwards connections to a port to the Redis of the test run. */
async function leadToRedis(port: number): Promise<Server> {
  const redis = new URL(inject('redisUrl'));
  const lead = (from: Socket) => {
    const to = connect(Number(redis.port || 6379), redis.hostname);
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
