import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { CallVerifier } from '@lockstep/access';
import { createLogger, createMetrics, type Database } from '@lockstep/platform';
import { afterEach, expect, it } from 'vitest';
import { Lingering } from './connections.ts';
import { addHttpMetrics } from './metrics.ts';
import type { ServerOptions } from './options.ts';
import { buildServer } from './server.ts';

const MEBIBYTE = 1024 * 1024;
/** Limits that a test reaches only if it sets them. */
const FAR = { bytes: 64 * MEBIBYTE, silenceMs: 3_600_000, totalMs: 3_600_000, closingMs: 3_600_000 };

let server: Server;
afterEach(() => server.close());

/**
 * Starts a client whose request of 8 MiB is refused before it has sent its body. Returns both sides of the connection.
 */
async function refuse(
  bounds: Partial<typeof FAR>,
): Promise<{ client: Socket; ended: Promise<unknown>; lingering: Lingering }> {
  const lingering = new Lingering({ ...FAR, ...bounds });
  server = createServer((request, response) => {
    lingering.watch(request, response);
    response.setHeader('connection', 'close').end('refused');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const connected = once(server, 'connection') as Promise<[Socket]>;
  const client = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true });
  client.on('error', () => {});
  client.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${8 * MEBIBYTE}\r\n\r\n`);
  const [socket] = await connected;
  const ended = new Promise<boolean>((resolve) => socket.once('close', resolve));
  const [answer] = await once(client, 'data');
  expect(String(answer)).toContain('refused');
  return { client, ended, lingering };
}

it('drops the rest of an answered request, then closes the connection without a reset', async () => {
  const { client, ended } = await refuse({});
  client.write(Buffer.alloc(8 * MEBIBYTE));
  expect(await ended).toBe(false);
  client.end();
  expect(await once(client, 'close')).toEqual([false]);
});

it('drops at most its limit', async () => {
  const { client, ended } = await refuse({ bytes: MEBIBYTE });
  client.write(Buffer.alloc(2 * MEBIBYTE));
  await ended;
});

it.each(['silenceMs', 'totalMs'])('stops dropping at its limit: %s', async (bound) => {
  const { ended } = await refuse({ [bound]: 1 });
  await ended;
});

it('drops for a shorter time while the server closes', async () => {
  const { ended, lingering } = await refuse({ closingMs: 1 });
  lingering.close();
  await ended;
});

it('ends when the client disconnects', async () => {
  const { client, ended } = await refuse({});
  client.destroy();
  await ended;
});

it('a server closes although a browser keeps an unused connection', async () => {
  const server = await buildServer({
    log: createLogger({ name: 'test', level: 'silent', secrets: new Set() }),
    metrics: addHttpMetrics(createMetrics()),
    verifier: new CallVerifier({} as Database),
    schema: { isCurrent: async () => true },
    publicUrl: null,
  } as ServerOptions);
  const { port } = new URL(await server.listen({ port: 0, host: '127.0.0.1' }));
  const silent = connect(Number(port), '127.0.0.1');
  await once(silent, 'connect');
  const ended = once(silent.resume(), 'close');
  // Without the fix, this waits for the connection for longer than the test may take.
  await server.close();
  expect(await ended).toEqual([false]);
});
