import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { ORDER_ROOT } from '@lockstep/contract';
import type { Api } from '../api.ts';

/** Returns the beginning of a call, for a client that writes to a socket and may leave at any point. */
export function buildHead(
  api: Api,
  path: string,
  { method = 'POST', headers = {} }: { method?: string; headers?: Record<string, string | number> } = {},
): string {
  const query = new URLSearchParams({ appKey: api.credentials.appKey, g_nonce: randomUUID() });
  const lines = Object.entries({
    host: new URL(api.baseUrl).host,
    authorization: `Bearer ${api.token}`,
    'content-type': 'application/json',
    ...headers,
  }).map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${ORDER_ROOT}${path}?${query} HTTP/1.1`, ...lines, '', ''].join('\r\n');
}

/** Returns a whole call. */
export function buildCall(api: Api, path: string, body: string): string {
  return `${buildHead(api, path, { headers: { 'content-length': Buffer.byteLength(body) } })}${body}`;
}

/** Opens a connection and writes to it. Resolves when everything has been sent. */
export async function send(baseUrl: string, text: string): Promise<Socket> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  await once(socket, 'connect');
  await new Promise((resolve) => socket.write(text, resolve));
  return socket;
}

/** Returns the first bytes of the answer. */
export async function readFirst(socket: Socket): Promise<string> {
  const [data] = await once(socket, 'data');
  return String(data);
}
