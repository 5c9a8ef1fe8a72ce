import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ReadingTime } from './slow-readers.ts';

/** More than fits into the buffers of a connection. */
const LONG = Buffer.alloc(32 * 1024 * 1024);

let server: Server;
let client: IncomingMessage;
let response: ServerResponse;

beforeEach(async () => {
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const call = get({ port: (server.address() as AddressInfo).port, agent: false });
  [, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
  response.flushHeaders();
  [client] = (await once(call, 'response')) as [IncomingMessage];
});
afterEach(() => {
  vi.useRealTimers();
  server.closeAllConnections();
  server.close();
});

it('continues when the client has read the answer so far', async () => {
  response.write(LONG);
  const taken = new ReadingTime(response).untilTaken(LONG.length);
  expect(response.writableNeedDrain).toBe(true);
  client.resume();
  await taken;
  expect(response).toMatchObject({ writableLength: 0, destroyed: false });
  expect(response.listenerCount('drain')).toBe(0);
});

it('continues at once if the connection has already accepted it', async () => {
  await new ReadingTime(response).untilTaken(0);
  expect(response.destroyed).toBe(false);
});

it('continues when the client disconnects', async () => {
  response.write(LONG);
  const taken = new ReadingTime(response).untilTaken(LONG.length);
  client.on('error', () => {}).destroy();
  await taken;
  expect(response.destroyed).toBe(true);
});

it('closes the connection of a client that does not read, later if more was written', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  response.write(LONG);
  const broken = once(client, 'error');
  const taken = new ReadingTime(response).untilTaken(LONG.length);
  // A minute, plus 128 s for 32 MiB.
  vi.advanceTimersByTime(187_999);
  expect(response.destroyed).toBe(false);
  vi.advanceTimersByTime(1);
  await taken;
  expect(response.destroyed).toBe(true);
  client.resume();
  expect(await broken).toMatchObject([{ code: 'ECONNRESET' }]);
});

it('closes the connection of a client that reads every piece too slowly', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const readingTime = new ReadingTime(response);
  response.write(LONG);
  const first = readingTime.untilTaken(LONG.length);
  vi.advanceTimersByTime(187_000);
  client.resume();
  await first;
  client.pause();
  response.write(LONG);
  const broken = once(client, 'error');
  const second = readingTime.untilTaken(LONG.length);
  // The remaining second, plus 128 s.
  vi.advanceTimersByTime(128_999);
  expect(response.destroyed).toBe(false);
  vi.advanceTimersByTime(1);
  await second;
  expect(response.destroyed).toBe(true);
  client.resume();
  expect(await broken).toMatchObject([{ code: 'ECONNRESET' }]);
});
