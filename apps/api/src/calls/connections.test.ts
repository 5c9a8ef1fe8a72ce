import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { CallVerifier } from '@lockstep/access';
import { createLogger, createMetrics, type Database } from '@lockstep/platform';
import type { FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { addHttpMetrics } from '../metrics.ts';
import { buildServer } from '../server.ts';
import type { Services } from '../services.ts';

const MEBIBYTE = 1024 * 1024;

let server: FastifyInstance;
let logLines: string[];
const metrics = addHttpMetrics(createMetrics());

beforeEach(async () => {
  logLines = [];
  const log = createLogger(
    { name: 'test', level: 'info', secrets: new Set() },
    { write: (line) => void logLines.push(line) },
  );
  const services = {
    log,
    metrics,
    verifier: new CallVerifier({} as Database),
    schema: { isCurrent: async () => true },
  };
  server = await buildServer({ ...services, publicUrl: null } as Services);
  await server.listen({ port: 0, host: '127.0.0.1' });
});
afterEach(() => server.close());

const open = (allowHalfOpen = false) => {
  const { port } = server.server.address() as AddressInfo;
  return connect({ port, host: '127.0.0.1', allowHalfOpen }).on('error', () => {});
};

/** Starts a client whose request of 8 MiB is refused before it has sent its body. Returns both sides. */
async function refuse(): Promise<{ client: Socket; ended: Promise<unknown[]> }> {
  const connected = once(server.server, 'connection') as Promise<[Socket]>;
  const client = open(true);
  client.write(`POST /nothing HTTP/1.1\r\nHost: a\r\nContent-Length: ${8 * MEBIBYTE}\r\n\r\n`);
  const [socket] = await connected;
  const ended = once(socket, 'close');
  expect(String(await once(client, 'data'))).toContain('404');
  return { client, ended };
}

it('drops the rest of a refused request, then closes the connection without a reset', async () => {
  const { client, ended } = await refuse();
  client.write(Buffer.alloc(8 * MEBIBYTE));
  expect(await ended).toEqual([false]);
  client.end();
  expect(await once(client, 'close')).toEqual([false]);
});

it('stops dropping when the client sends nothing more', async () => {
  const { ended } = await refuse();
  await ended;
});

it('stops dropping when the client disconnects', async () => {
  const { client, ended } = await refuse();
  client.destroy();
  await ended;
});

it('closes although a browser keeps an unused connection', async () => {
  const silent = open();
  await once(silent, 'connect');
  const ended = once(silent.resume(), 'close');
  // Without the fix, this waits for the connection for longer than the test may take.
  await server.close();
  expect(await ended).toEqual([false]);
});

it('closes connections beyond its limit at once, counts them, and logs that once', async () => {
  expect(server.server.maxConnections).toBe(4_000);
  server.server.maxConnections = 1;
  const first = open();
  await once(first, 'connect');
  for (let count = 1; count <= 2; count++) {
    await once(open().resume(), 'close');
    expect((await metrics.httpConnectionsRefused.get()).values).toMatchObject([{ value: count }]);
  }
  const warnings = logLines.map((line) => JSON.parse(line)).filter(({ level }) => level === 40);
  expect(warnings).toMatchObject([{ maxConnections: 4_000 }]);
  expect(first.destroyed).toBe(false);
  first.destroy();
});
