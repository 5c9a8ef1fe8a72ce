import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { ORDER_ROOT } from '@lockstep/contract';
import type { Api } from '../api.ts';

/** The beginning of a call as a client writes it on a socket of its own, that may leave at any place. */
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

/** A whole call. */
export function buildCall(api: Api, path: string, body: string): string {
  return `${buildHead(api, path, { headers: { 'content-length': Buffer.byteLength(body) } })}${body}`;
}

/** Opens a connection and writes to it; resolves when all of it is on its way. */
export async function send(baseUrl: string, text: string): Promise<Socket> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  await once(socket, 'connect');
  await new Promise((resolve) => socket.write(text, resolve));
  return socket;
}

/** The first of what comes back on a connection. */
export async function readFirst(socket: Socket): Promise<string> {
  const [data] = await once(socket, 'data');
  return String(data);
}
