import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Answer, Api } from '../api.ts';

/** Calls an operation on its own connection. Returns the answer before any of its body is read. */
export async function openAnswer(
  api: Api,
  path: string,
  {
    query = {},
    headers = {},
    body,
  }: { query?: Record<string, string>; headers?: Record<string, string>; body?: unknown } = {},
): Promise<IncomingMessage> {
  const search = new URLSearchParams({ ...query, g_nonce: randomUUID() });
  const sent = body === undefined ? undefined : JSON.stringify(body);
  const call = request(`${api.baseUrl}${path}?${search}`, {
    method: sent === undefined ? 'GET' : 'POST',
    agent: false,
    headers: {
      authorization: `Bearer ${api.token}`,
      ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
  });
  call.end(sent);
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  return response;
}

/** Reads an answer to its end. */
export async function readOn(response: IncomingMessage): Promise<Answer['body']> {
  return JSON.parse(await text(response));
}
