import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OrderClient, readBaseUrl } from './client.ts';
import { explainNoAnswer } from './faults.ts';
import { send } from './http.ts';

/** By path: what stands for a page, a proxy, another service. Any other path: the connection is closed. */
const ANSWERS: Record<string, [status: number, headers: Record<string, string>, body: string]> = {
  '/page': [200, { 'content-type': 'text/html' }, '<html>Log in</html>'],
  '/proxy': [502, { 'content-type': 'text/html' }, '<html>Bad gateway</html>'],
  '/json': [200, { 'content-type': 'application/json' }, '{"ok": true}'],
  '/list': [200, { 'content-type': 'application/json' }, '[]'],
  '/moved': [301, { location: 'https://elsewhere.example/' }, ''],
  '/none': [404, { 'content-type': 'application/json' }, '{"code": "404", "message": "POST /none", "cause": "x"}'],
};
const stranger = createServer(({ url = '', socket }, response) => {
  const [, answer] = Object.entries(ANSWERS).find(([path]) => url.startsWith(`${path}/`)) ?? [];
  if (answer === undefined) socket.destroy();
  else response.writeHead(answer[0], answer[1]).end(answer[2]);
});
/** It answers in another language than HTTP, as a port for TLS does. */
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

describe('a service that cannot be asked is told in one line:', () => {
  it.each<[what: string, url: () => string, message: RegExp]>([
    [
      'a page',
      () => `http://${hostOf(stranger)}/page`,
      /\/page\/oauth2\/token answered HTTP 200 with text\/html, which/,
    ],
    ['a proxy that reaches nothing', () => `http://${hostOf(stranger)}/proxy`, /HTTP 502.*a proxy in between/],
    [
      'JSON of something else',
      () => `http://${hostOf(stranger)}/json`,
      /HTTP 200 with application\/json.*something else/,
    ],
    ['a JSON list', () => `http://${hostOf(stranger)}/list`, /HTTP 200 with application\/json.*something else/],
    ['a redirection', () => `http://${hostOf(stranger)}/moved`, /leads elsewhere.*https:\/\/elsewhere\.example\//],
    ['no such operation', () => `http://${hostOf(stranger)}/none`, /\/none\/oauth2\/token is not there.*--base-url/],
    ['a closed connection', () => `http://${hostOf(stranger)}`, /closed the connection before it answered/],
    ['no HTTP', () => `http://${hostOf(foreigner)}`, /does not speak HTTP\. Is it https:/],
    ['no TLS', () => `https://${hostOf(stranger)}`, /does not speak TLS\. Is it http:/],
    ['nothing there', () => `http://${closedHost}`, /refuses connections.*Is npm start running\?/],
    ['an unknown name', () => 'https://lockstep.invalid', /^https:\/\/lockstep\.invalid is not to be found: DNS/],
  ])('%s', async (_, url, message) => {
    const client = new OrderClient({ baseUrl: readBaseUrl(url()), appKey: 'key', appSecret: 'secret' });
    const error = await client.logIn().catch((thrown: Error) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect((error as Error).message).toMatch(message);
    expect((error as Error).message).not.toMatch(/\n|secret/);
  });

  // As Node.js throws them.
  it.each<[code: string, message: RegExp]>([
    ['ECONNREFUSED', /^https:\/\/shop\.example refuses connections: [^?]*\.$/],
    ['EAI_AGAIN', /DNS does not answer/],
    ['ETIMEDOUT', /no connection in time/],
    ['CERT_HAS_EXPIRED', /certificate that has expired/],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', /does not trust.*NODE_EXTRA_CA_CERTS/],
    ['ERR_TLS_CERT_ALTNAME_INVALID', /certificate for another name/],
    ['EPROTO', /refuses TLS as this machine offers it/],
    ['SOMETHING_NEW', /does not answer: SOMETHING_NEW/],
  ])('%s of a remote address, where nobody is asked for npm start', (code, message) => {
    const reason = Object.assign(new Error('no'), { code });
    for (const error of [reason, new AggregateError([reason, reason])]) {
      const text = explainNoAnswer(error, 'https://shop.example');
      expect(text).toMatch(message);
      expect(text).not.toContain('npm start');
    }
  });

  it.each([
    ['does not come', ''],
    ['does not end', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"code"'],
  ])('an answer that %s', async (_, begin) => {
    const silent = createTcpServer((socket) => socket.on('error', () => {}).write(begin));
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const url = `http://${hostOf(silent)}`;
    const error = await send(url, { method: 'GET', headers: {}, body: undefined, timeoutMs: 50 }).catch(
      (fault) => fault,
    );
    silent.close();
    expect(explainNoAnswer(error, url)).toBe(`${url} took the call and did not answer in time.`);
  });
});

it('a refusal arrives while the body is still being sent, and the connection goes with it', async () => {
  const refuser = createTcpServer((socket) => {
    socket
      .on('error', () => {})
      .end('HTTP/1.1 413 Payload Too Large\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}');
  });
  await once(refuser.listen(0, '127.0.0.1'), 'listening');
  const body = Buffer.alloc(32 * 1024 * 1024);
  const answer = await send(`http://${hostOf(refuser)}`, { method: 'POST', headers: {}, body, timeoutMs: 60_000 });
  refuser.close();
  expect(answer).toMatchObject({ status: 413, text: '{}' });
});

describe('the address of a service', () => {
  it.each([
    ['https://shop.example', 'https://shop.example'],
    ['http://127.0.0.1:8080/', 'http://127.0.0.1:8080'],
    ['https://shop.example/lockstep/', 'https://shop.example/lockstep'],
  ])('may be %s', (text, baseUrl) => {
    expect(readBaseUrl(text)).toBe(baseUrl);
  });

  it.each([
    'shop.example',
    'ftp://shop.example',
    'https://me:hunter2@shop.example',
    'https://shop.example?a=b',
    'http://',
  ])('may not be %s, and is not repeated', (text) => {
    expect(() => readBaseUrl(text)).toThrow(/^(?!.*hunter2)--base-url \(LOCKSTEP_BASE_URL\) must be http:\/\//);
  });
});
