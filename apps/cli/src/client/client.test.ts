import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OrderClient } from './client.ts';
import { explainNoAnswer, NETWORK_FAULTS, NO_HTTP, NO_TLS, nodeFetch } from './http.ts';

/** Answers by path, as a web page, a proxy or another service gives them. Other paths: the connection is closed. */
const ANSWERS: Record<string, [status: number, headers: Record<string, string>, body: string]> = {
  '/page': [200, { 'content-type': 'text/html' }, '<html>Log in</html>'],
  '/proxy': [502, { 'content-type': 'text/html' }, '<html>Bad gateway</html>'],
  '/json': [200, { 'content-type': 'application/json' }, '{"ok": true}'],
  '/list': [200, { 'content-type': 'application/json' }, '[]'],
  '/no-exports': [200, { 'content-type': 'application/json' }, '{"access_token": "t", "code": 0, "data": []}'],
  '/moved': [301, { location: 'https://elsewhere.example/' }, ''],
  '/none': [404, { 'content-type': 'application/json' }, '{"code": "404", "message": "POST /none", "cause": "x"}'],
};
const stranger = createServer(({ url = '', socket }, response) => {
  const [, answer] = Object.entries(ANSWERS).find(([path]) => url.startsWith(`${path}/`)) ?? [];
  if (answer === undefined) socket.destroy();
  else response.writeHead(answer[0], answer[1]).end(answer[2]);
});
/** Answers in another protocol than HTTP, as a TLS port does. */
const foreigner = createTcpServer((socket) => socket.on('error', () => {}).end('\x15\x03\x03\x00\x02\x02\x46'));
const closed = createTcpServer();
const hostOf = (server: Server) => `127.0.0.1:${(server.address() as AddressInfo).port}`;
let closedHost = '';

beforeAll(async () => {
  for (const server of [stranger, foreigner, closed]) await once(server.listen(0, '127.0.0.1'), 'listening');
  closedHost = hostOf(closed);
  closed.close();
});
afterAll(() => {
  stranger.close();
  foreigner.close();
});

describe('a service that does not answer is explained in one line:', () => {
  it.each<[what: string, url: () => string, message: string]>([
    ['a page', () => `http://${hostOf(stranger)}/page`, '/page/oauth2/token answered HTTP 200 with text/html'],
    ['a proxy that cannot reach the service', () => `http://${hostOf(stranger)}/proxy`, 'HTTP 502 with text/html'],
    ['JSON from another service', () => `http://${hostOf(stranger)}/json`, 'HTTP 200 with application/json'],
    ['a JSON list', () => `http://${hostOf(stranger)}/list`, 'HTTP 200 with application/json'],
    ['a redirect', () => `http://${hostOf(stranger)}/moved`, 'https://elsewhere.example/ (HTTP 301)'],
    ['no such operation', () => `http://${hostOf(stranger)}/none`, 'HTTP 404'],
    ['a closed connection', () => `http://${hostOf(stranger)}`, NETWORK_FAULTS.ECONNRESET!],
    ['no HTTP', () => `http://${hostOf(foreigner)}`, NO_HTTP],
    ['no TLS', () => `https://${hostOf(stranger)}`, NO_TLS],
    ['nothing there', () => `http://${closedHost}`, 'npm start'],
    ['an unknown name', () => 'https://lockstep.invalid', `https://lockstep.invalid ${NETWORK_FAULTS.ENOTFOUND}`],
  ])('%s', async (_, url, message) => {
    const client = new OrderClient({ baseUrl: url(), appKey: 'key', appSecret: 'secret' });
    const error = await client.call('listWebhooks').catch((thrown: Error) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect((error as Error).message).toContain(message);
    expect((error as Error).message).not.toMatch(/\n|secret/);
  });

  it('JSON instead of an export', async () => {
    const baseUrl = `http://${hostOf(stranger)}/no-exports`;
    const client = new OrderClient({ baseUrl, appKey: 'key', appSecret: 'secret' });
    await expect(Array.fromAsync(client.export('csv', 'listOrders'))).rejects.toThrow('JSON');
  });

  // The errors are as Node.js throws them.
  it.each(Object.entries(NETWORK_FAULTS))('%s of a remote address', (code, message) => {
    const reason = Object.assign(new Error('no'), { code });
    for (const error of [reason, new AggregateError([reason, reason])]) {
      expect(explainNoAnswer(error, 'https://shop.example')).toBe(`https://shop.example ${message}`);
    }
  });

  it('an unknown error by its code', () => {
    const error = Object.assign(new Error('no'), { code: 'SOMETHING_NEW' });
    expect(explainNoAnswer(error, 'https://shop.example')).toMatch(/^https:\/\/shop\.example .*SOMETHING_NEW/);
  });
});

it('a refusal counts if it arrives, and the connection closes, while the body is still being sent', async () => {
  const refuser = createTcpServer((socket) => {
    socket
      .on('error', () => {})
      .end('HTTP/1.1 413 Payload Too Large\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}');
  });
  await once(refuser.listen(0, '127.0.0.1'), 'listening');
  const body = Buffer.alloc(32 * 1024 * 1024);
  const { signal } = new AbortController();
  const sent = { method: 'POST', headers: {}, body, redirect: 'manual', signal } as const;
  const answer = await nodeFetch(`http://${hostOf(refuser)}`, sent);
  expect([answer.status, await answer.text()]).toEqual([413, '{}']);
  refuser.close();
});

it('an address that is none ends the command, which does not repeat it', () => {
  const open = () =>
    new OrderClient({ baseUrl: 'https://me:hunter2@shop.example', appKey: 'key', appSecret: 'secret' });
  expect(open).toThrow(/^(?!.*hunter2)--base-url \(LOCKSTEP_BASE_URL\): /);
});
