import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { waitUntilTaken } from './slow-readers.ts';

/** More than the buffers of a connection hold. */
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
  server.closeAllConnections();
  server.close();
});

it('goes on once the client has read what was written', async () => {
  response.write(LONG);
  const taken = waitUntilTaken(response, LONG.length);
  expect(response.writableNeedDrain).toBe(true);
  client.resume();
  await taken;
  expect(response).toMatchObject({ writableLength: 0, destroyed: false });
  expect(response.listenerCount('drain')).toBe(0);
});

it('goes on at once where the connection has taken it already', async () => {
  await waitUntilTaken(response, 0);
  expect(response.destroyed).toBe(false);
});

it('goes on when the client leaves', async () => {
  response.write(LONG);
  const taken = waitUntilTaken(response, LONG.length);
  client.on('error', () => {}).destroy();
  await taken;
  expect(response.destroyed).toBe(true);
});

it('closes the connection of a client that does not read', async () => {
  response.write(LONG);
  const broken = once(client, 'error');
  await waitUntilTaken(response, LONG.length, { graceMs: 10, minBytesPerSecond: Number.POSITIVE_INFINITY });
  expect(response.destroyed).toBe(true);
  client.resume();
  expect(await broken).toMatchObject([{ code: 'ECONNRESET' }]);
});
