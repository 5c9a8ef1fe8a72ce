import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request as startCall } from 'node:http';
import { text } from 'node:stream/consumers';
import { ORDER_ROOT } from '@lockstep/contract';
import type { Histogram } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { dataOf } from '../harness/api.ts';
import { openSocket, type RawAnswer, readAnswers, request, sendRaw } from '../harness/network/raw-http.ts';
import { startAnotherApi } from '../harness/processes/another-api.ts';
import { testStack } from '../harness/stack.ts';

/** Requests that are barely HTTP. Each gets the envelope, one log line and one count in the metrics. */
const BIND = `${ORDER_ROOT}/enterprise/user/bind`;

const { stack, api } = await testStack({ worker: false, webhookAllowPrivate: true });

const authorized = () => `Authorization: Bearer ${api.token}`;
const query = () => `g_nonce=${randomUUID()}`;
const orderCall = (...headers: string[]) =>
  request(`GET ${ORDER_ROOT}/licenseOrder/1?${query()} HTTP/1.1`, authorized(), ...headers);
const logLines = () => stack.logLines.map((line) => JSON.parse(line));
const linesOf = (requestId: string | undefined) => logLines().filter((line) => line.requestId === requestId);

/** Returns how many calls the metrics count for a route and code. */
async function counted(route: string, code: string): Promise<number> {
  const histogram = stack.metrics.registry.getSingleMetric('lockstep_http_request_seconds') as Histogram;
  const { values } = await histogram.get();
  return values
    .filter(
      ({ metricName, labels }) => metricName?.endsWith('_count') && labels.route === route && labels.code === code,
    )
    .reduce((sum, { value }) => sum + value, 0);
}

/** Checks an answer against the envelope, and that the log has one line for the call, without a stack. */
async function expectRefused(answer: RawAnswer | undefined, status: number, cause: string): Promise<void> {
  expect(answer).toMatchObject({ status, headers: { 'content-type': 'application/json; charset=utf-8' } });
  const { code, faults: _faults, args: _args, ...rest } = JSON.parse(answer!.body);
  expect(rest).toEqual({ cause, message: expect.any(String) });
  const id = answer!.headers['x-request-id'];
  await expect.poll(() => linesOf(id)).toMatchObject([{ msg: 'call', level: 30, status, code }]);
}

describe('files of /docs', () => {
  it.each([
    ...['/docs/static/../../../package.json', '/docs/static/%2e%2e/%2e%2e/package.json'],
    ...['/docs/static/..%2f..%2fpackage.json', '/docs/static/..%5c..%5cpackage.json'],
    ...['/docs/static/..\\..\\package.json', '/docs/static/%00', '/docs/static/index.css%00.js', '/docs/static/%2500'],
    ...['/docs/static//index.css', '/docs/static/./index.css', '/docs/static/.hidden', '/docs/static/nothing.js'],
    ...['/docs/static/index.css/', '/docs/static/%zz', '/docs/static/%ff', '/docs/static/C:/x'],
    ...[`/docs/static/${'x'.repeat(3_000)}`, `/docs/static/${'x/'.repeat(2_000)}`, '/docs/static', '/docs/nothing'],
  ])('that do not exist are 404: %s', async (path) => {
    const [answer] = await sendRaw(stack.baseUrl, request(`GET ${path} HTTP/1.1`));
    await expectRefused(answer, 404, 'operation_not_found');
  });
});

describe('input that is not HTTP', () => {
  const MALFORMED: [what: string, text: string][] = [
    ['text', 'HELLO\r\n\r\n'],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['an unknown method', request('FOO /health/live HTTP/1.1')],
    ['bytes in a path', request('GET /\xff\xfe HTTP/1.1')],
    ['a blank in a path', request('GET /health/ live HTTP/1.1')],
    ['a header without a name', request('GET /health/live HTTP/1.1', ': x')],
    ['a folded header', request('GET /health/live HTTP/1.1', 'X: a', ' b')],
    ['a null in a header', request('GET /health/live HTTP/1.1', 'X: a\0b')],
    ['lines without carriage returns', 'GET /health/live HTTP/1.1\nHost: a\n\n'],
    [
      'two ways to delimit the body',
      `${request(`POST ${BIND} HTTP/1.1`, 'Content-Length: 2', 'Transfer-Encoding: chunked')}2\r\n{}\r\n0\r\n\r\n`,
    ],
    ['two lengths', `${request('POST /x HTTP/1.1', 'Content-Length: 2', 'Content-Length: 3')}{}`],
    ['a negative length', request('POST /x HTTP/1.1', 'Content-Length: -1')],
  ];
  it.each<[what: string, text: string, status: number, cause: string]>([
    ...MALFORMED.map(([what, text]) => [what, text, 400, 'http_malformed'] as [string, string, number, string]),
    ['a path that is too long', request(`GET /${'x'.repeat(20_000)} HTTP/1.1`), 431, 'headers_too_large'],
    ['too many headers', request('GET / HTTP/1.1', ...Array(2_100).fill('X: y')), 431, 'headers_too_large'],
    ['CONNECT, which opens no tunnel', request('CONNECT a:80 HTTP/1.1'), 405, 'method_not_allowed'],
    ['CONNECT to a path', request('CONNECT /health/live HTTP/1.1'), 405, 'method_not_allowed'],
  ])('is answered, logged and counted once: %s', async (_what, text, status, cause) => {
    const before = await counted('none', String(status));
    const answers = await sendRaw(stack.baseUrl, text);
    expect(answers).toHaveLength(1);
    await expectRefused(answers[0], status, cause);
    expect(answers[0]!.headers.allow).toBe(status === 405 ? '' : undefined);
    const line = status === 405 ? { method: 'CONNECT', route: 'none' } : {};
    expect(linesOf(answers[0]!.headers['x-request-id'])).toMatchObject([line]);
    expect(await counted('none', String(status))).toBe(before + 1);
  });

  it.each(['GARBAGE\r\n\r\n', request('CONNECT a:80 HTTP/1.1')])(
    'is answered after the call before it, not instead of it: %j',
    async (text) => {
      const call = orderCall().replace('Connection: close\r\n', '');
      const [answered, refused, ...more] = await sendRaw(stack.baseUrl, call + text);
      await expectRefused(answered, 299, 'order_not_found');
      expect(refused).toMatchObject({ status: text.startsWith('CONNECT') ? 405 : 400 });
      expect(more).toEqual([]);
    },
  );
});

describe('a request that breaks a rule of HTTP', () => {
  it.each<[what: string, head: string]>([
    ['no Host', 'GET /health/live HTTP/1.1'],
    ['two', 'GET /health/live HTTP/1.1\r\nHost: a\r\nHost: b'],
    ['a malformed one', 'GET /health/live HTTP/1.1\r\nHost: a b<\xff>'],
    ['a path in it', 'GET /health/live HTTP/1.1\r\nHost: a/b?c@d'],
  ])('by its Host is refused: %s', async (_what, head) => {
    const [answer] = await sendRaw(stack.baseUrl, `${head}\r\n\r\n`);
    await expectRefused(answer, 400, 'http_malformed');
    expect(linesOf(answer!.headers['x-request-id'])).toMatchObject([{ route: '/health/live' }]);
  });

  it.each(['GET /health/live HTTP/1.0\r\n\r\n', 'GET /health/live HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n'])(
    'is not one that HTTP allows: %j',
    async (text) => {
      expect(await sendRaw(stack.baseUrl, text)).toMatchObject([{ status: 200, body: '{"status":"live"}' }]);
    },
  );

  it.each([
    ['/health/live', 200],
    ['/docs/static/index.css', 200],
    ['/nothing', 404],
    [BIND, 405],
  ])('is not one with an absolute address: http://a%s', async (path, status) => {
    const [answer] = await sendRaw(stack.baseUrl, request(`GET http://a${path} HTTP/1.1`));
    expect(answer).toMatchObject({ status });
  });

  it('has the codes of the member center for its paths, however they are written', async () => {
    const path = `/me/api/v1/enterprise/1/members?${query()}`;
    const tokens = [authorized(), `clientToken: ${api.token}`, 'userToken: x', 'Content-Type: text/plain'];
    const [plain] = await sendRaw(stack.baseUrl, request(`GET ${path} HTTP/1.1`, ...tokens));
    const [whole] = await sendRaw(stack.baseUrl, request(`GET HTTP://a${path} HTTP/1.1`, ...tokens));
    expect(whole!.body).toBe(plain!.body);
  });

  it('by a second Authorization is unauthenticated', async () => {
    const [answer] = await sendRaw(stack.baseUrl, orderCall('Authorization: Bearer another'));
    await expectRefused(answer, 299, 'token_missing');
  });

  it('by a second Content-Type has an unsupported one', async () => {
    const types = ['Content-Type: application/json', 'Content-Type: text/plain', 'Content-Length: 2'];
    const head = request(`POST ${BIND}?${query()} HTTP/1.1`, authorized(), ...types);
    const [answer] = await sendRaw(stack.baseUrl, `${head}{}`);
    await expectRefused(answer, 299, 'content_type_unsupported');
  });

  it.each([
    ['g_nonce=12345678&g_nonce=87654321', 'nonce_malformed'],
    ['g_nonce[]=12345678', 'nonce_missing'],
    ['__proto__=g_nonce', 'nonce_missing'],
    ['__proto__[g_nonce]=12345678', 'nonce_missing'],
    ['?g_nonce=12345678', 'nonce_missing'],
  ])('by its query is refused: ?%s', async (text, cause) => {
    const head = request(`GET ${ORDER_ROOT}/licenseOrder/1?${text} HTTP/1.1`, authorized());
    const [answer] = await sendRaw(stack.baseUrl, head);
    await expectRefused(answer, 299, cause);
  });

  it.each(['websocket', 'h2c'])('is not one that requests another protocol: %s', async (protocol) => {
    const text = 'GET /health/live HTTP/1.1\r\nHost: a\r\n';
    const socket = await openSocket(stack.baseUrl);
    socket.write(`${text}Connection: Upgrade\r\nUpgrade: ${protocol}\r\n\r\n`);
    await once(socket, 'data');
    socket.write(`${text}Connection: close\r\n\r\n`);
    expect(await readAnswers(socket)).toMatchObject([{ status: 200 }]);
  });
});

describe('Expect', () => {
  const announce = (...headers: string[]) =>
    request(`POST ${BIND}?${query()} HTTP/1.1`, 'Content-Type: application/json', 'Expect: 100-continue', ...headers);

  it('is refused if it is unknown', async () => {
    const before = await counted('/', '417');
    const [answer] = await sendRaw(stack.baseUrl, request('GET / HTTP/1.1', 'Expect: tea'));
    await expectRefused(answer, 417, 'expectation_unsupported');
    expect(await counted('/', '417')).toBe(before + 1);
  });

  it('of 100-continue is met for an authorized caller, who then sends the body', async () => {
    const socket = await openSocket(stack.baseUrl);
    socket.write(announce(authorized(), 'Content-Length: 2'));
    const [told] = await once(socket, 'data');
    expect(String(told)).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    socket.write('{}');
    const [answer] = await readAnswers(socket);
    await expectRefused(answer, 299, 'field_missing');
  });

  it.each<[who: string, head: () => string, status: number, cause: string]>([
    ['an unauthenticated caller', () => announce('Content-Length: 2'), 299, 'token_missing'],
    ['a body that is too large', () => announce(authorized(), 'Content-Length: 999999999'), 299, 'body_too_large'],
    [
      'an unknown path',
      () => request('POST /nothing HTTP/1.1', 'Content-Length: 2', 'Expect: 100-continue'),
      404,
      'operation_not_found',
    ],
  ])('of 100-continue is not met for %s', async (_who, head, status, cause) => {
    const answers = await sendRaw(stack.baseUrl, head());
    expect(answers).toHaveLength(1);
    await expectRefused(answers[0], status, cause);
  });
});

describe('a body that breaks off', () => {
  const begin = (id: string, headers: string[], path = BIND) => {
    const type = path === BIND ? 'application/json' : 'application/x-www-form-urlencoded';
    const own = [authorized(), `Content-Type: ${type}`, `x-request-id: ${id}`];
    return request(`POST ${path}?${query()} HTTP/1.1`, ...own, ...headers);
  };

  it.each<[how: string, header: string, rest: string, sendsMore: boolean]>([
    ['in a malformed chunk', 'Transfer-Encoding: chunked', 'zz\r\n', true],
    ['in an unsupported transfer coding', 'Transfer-Encoding: gzip', '{}', true],
    ['before its end, by a client that stops sending', 'Content-Length: 200', '{', false],
  ])('is answered once, by the operation of its path: %s', async (_how, header, rest, sendsMore) => {
    const id = randomUUID();
    const socket = await openSocket(stack.baseUrl);
    socket.write(begin(id, [header]) + rest);
    if (!sendsMore) socket.end();
    const answers = await readAnswers(socket);
    expect(answers).toHaveLength(1);
    await expectRefused(answers[0], 400, 'http_malformed');
    expect(linesOf(id)).toMatchObject([{ method: 'POST', route: BIND }]);
  });

  it.each([BIND, '/oauth2/token'])('while it is being read is also answered once: %s', async (path) => {
    const id = randomUUID();
    const socket = await openSocket(stack.baseUrl);
    socket.write(begin(id, ['Expect: 100-continue', 'Transfer-Encoding: chunked'], path));
    await once(socket, 'data');
    socket.write('zz\r\n');
    const answers = await readAnswers(socket);
    expect(answers).toMatchObject([{ status: 400, headers: { 'x-request-id': id } }]);
    await expect.poll(() => linesOf(id)).toMatchObject([{ msg: 'call', level: 30, status: 400 }]);
  });

  it('is not a fault of the service at the token endpoint either', async () => {
    const type = 'Content-Type: application/x-www-form-urlencoded';
    const text = `${request('POST /oauth2/token HTTP/1.1', type, 'Transfer-Encoding: chunked')}zz\r\n`;
    const answers = await sendRaw(stack.baseUrl, text);
    expect(answers).toMatchObject([{ status: 400 }]);
    expect(JSON.parse(answers[0]!.body)).toMatchObject({ error: 'invalid_request' });
  });

  it.each([BIND, '/oauth2/token'])('with its connection is not a fault of the service: %s', async (path) => {
    const id = randomUUID();
    const socket = await openSocket(stack.baseUrl);
    // The body is read as soon as the service asks for it.
    socket.write(begin(id, ['Expect: 100-continue', 'Content-Length: 200'], path));
    await once(socket, 'data');
    socket.resetAndDestroy();
    await once(socket, 'close');
    await sendRaw(stack.baseUrl, request('GET /health/live HTTP/1.1'));
    expect(linesOf(id).filter(({ level, err }) => level > 30 || err !== undefined)).toEqual([]);
  });

  it('in the head, when a client disconnects, is logged once and not as a fault', async () => {
    const before = logLines().length;
    const socket = await openSocket(stack.baseUrl);
    socket.write('GET /health/li');
    await sendRaw(stack.baseUrl, request('GET /health/live HTTP/1.1'));
    socket.resetAndDestroy();
    const lost = () =>
      logLines()
        .slice(before)
        .filter(({ msg }) => msg === 'client connection lost');
    await expect.poll(lost).toMatchObject([{ level: 30, reason: 'ECONNRESET' }]);
  });
});

describe('a body that is not needed', async () => {
  const JSON_TYPE = 'Content-Type: application/json';
  const framings: [framing: string, headers: string[], body: string][] = [
    ['no headers', [], ''],
    ['a content type', [JSON_TYPE], ''],
    ['a length of 0', ['Content-Length: 0'], ''],
    ['a length of 0 and a content type', ['Content-Length: 0', JSON_TYPE], ''],
    ['a length of 0 and another content type', ['Content-Length: 0', 'Content-Type: text/plain;charset=UTF-8'], ''],
    ['no chunks', ['Transfer-Encoding: chunked'], '0\r\n\r\n'],
    ['no chunks and a content type', ['Transfer-Encoding: chunked', JSON_TYPE], '0\r\n\r\n'],
    ['blanks', ['Content-Length: 3', JSON_TYPE], ' \r\n'],
    ['null', ['Content-Length: 4', JSON_TYPE], 'null'],
  ];
  const { webhookId } = dataOf(await api.ask('createWebhook', { body: { url: 'http://127.0.0.1:9/' } }));
  const webhook = `/webhooks/${webhookId}`;
  const post = async (path: string, headers: string[], body: string) => {
    const head = request(`POST ${ORDER_ROOT}${path}?${query()} HTTP/1.1`, authorized(), ...headers);
    return await sendRaw(stack.baseUrl, head + body);
  };

  it.each(framings)('can be absent with %s', async (_framing, headers, body) => {
    for (const operation of ['rotateSecret', 'enable', 'replay']) {
      const [answer] = await post(`${webhook}/${operation}`, headers, body);
      expect([operation, JSON.parse(answer!.body)]).toMatchObject([operation, { code: 0 }]);
    }
  });

  it.each(framings)('is missing where a field is required, with %s', async (_framing, headers, body) => {
    for (const path of ['/enterprise/user/bind', '/licenseOrder/batchOrder']) {
      const [answer] = await post(path, headers, body);
      await expectRefused(answer, 299, 'field_missing');
      expect(JSON.parse(answer!.body).faults).toMatchObject([{ path: 'body' }]);
    }
  });

  it.each([
    ['text', ['Content-Length: 2', 'Content-Type: text/plain'], '{}', 'content_type_unsupported'],
    [
      'chunks of text',
      ['Transfer-Encoding: chunked', 'Content-Type: text/plain'],
      '2\r\n{}\r\n0\r\n\r\n',
      'content_type_unsupported',
    ],
    ['a length of 2 without a content type', ['Content-Length: 2'], '{}', 'content_type_unsupported'],
    ['broken JSON', ['Content-Length: 1', JSON_TYPE], '{', 'json_malformed'],
    [
      'chunks of broken JSON',
      ['Transfer-Encoding: chunked', JSON_TYPE],
      '1\r\n{\r\n1\r\n"\r\n0\r\n\r\n',
      'json_malformed',
    ],
  ])('is read if it is sent: %s', async (_what, headers, body, cause) => {
    const [answer] = await post(`${webhook}/rotateSecret`, headers, body);
    await expectRefused(answer, 299, cause);
  });
});

it('an unknown query parameter is ignored, even twice', async () => {
  const path = `${ORDER_ROOT}/licenseOrder/orders?${query()}&x=1&x=2&__proto__=1&__proto__=2`;
  const [answer] = await sendRaw(stack.baseUrl, request(`GET ${path} HTTP/1.1`, authorized()));
  expect(JSON.parse(answer!.body)).toMatchObject({ code: 0 });
});

it.each([
  ['malformed JSON', '{"a":'],
  ['no fields', '{}'],
])('a complete body is refused without closing its connection: %s', async (_what, body) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const headers = { authorization: `Bearer ${api.token}`, 'content-type': 'application/json' };
  const send = async () => {
    const call = startCall(`${stack.baseUrl}${BIND}?${query()}`, { method: 'POST', agent, headers }).end(body);
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    await text(response);
    return { status: response.statusCode, isSameConnection: call.reusedSocket };
  };
  const answers = [await send(), await send(), await send()];
  agent.destroy();
  expect(answers).toEqual([false, true, true].map((isSameConnection) => ({ status: 299, isSameConnection })));
});

describe('every answer', () => {
  it.each<[what: string, text: () => string]>([
    ['of an operation', () => orderCall()],
    ['of the token endpoint', () => request('POST /oauth2/token HTTP/1.1', 'Content-Length: 0')],
    ['to an unknown path', () => request('GET /nothing HTTP/1.1')],
    ['to a malformed path', () => request('GET /%zz HTTP/1.1')],
    ['to input that is not HTTP', () => 'HELLO\r\n\r\n'],
    ['of /health/live', () => request('GET /health/live HTTP/1.1')],
  ])('%s cannot be cached, framed or sniffed by a browser', async (_what, text) => {
    const [answer] = await sendRaw(stack.baseUrl, text());
    expect(answer!.headers).toMatchObject({
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    });
    expect(answer!.headers).not.toHaveProperty('x-powered-by');
    expect(answer!.headers).not.toHaveProperty('server');
  });

  it.each(['/', '/docs', '/docs/', '/docs/static/swagger-initializer.js', '/docs/static/index.css', '/docs/nothing'])(
    'of %s lets a page load only files of the service, run no inline script, and be in no frame',
    async (path) => {
      const [answer] = await sendRaw(stack.baseUrl, request(`GET ${path} HTTP/1.1`));
      const policy = answer!.headers['content-security-policy'] ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe|\*|https?:/);
      expect(answer!.headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY' });
    },
  );
});

it('a service that stops answers calls that were sent, whole even to slow readers, and waits for no others', async () => {
  const { api: other, close } = await startAnotherApi(stack, api);
  const silent = await openSocket(other.baseUrl);
  const slow = await openSocket(other.baseUrl);
  // More than what the kernel keeps.
  slow.write(`GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(50));
  await once(slow, 'readable');
  const busy = await openSocket(other.baseUrl);
  busy.write('GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n');
  await once(busy, 'data');
  busy.write('GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n');
  const closing = close();
  expect(await readAnswers(busy)).toMatchObject([{ status: 200, headers: { connection: 'close' } }]);
  const answers = await readAnswers(slow);
  await closing;
  expect(new Set(answers.map(({ headers, body }) => Number(headers['content-length']) - body.length))).toEqual(
    new Set([0]),
  );
  expect(answers).toHaveLength(50);
  silent.destroy();
});
