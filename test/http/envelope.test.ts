import { randomUUID } from 'node:crypto';
import { ORDER_ROOT } from '@lockstep/contract';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Answer, refusalOf } from '../harness/api.ts';
import { batchOf, deleteAsset, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { testStack } from '../harness/stack.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Internal details, which must not reach a client (rules 1). */
const INSIDE =
  /select|insert|sql|postgres|redis|database|127\.0\.0\.1|localhost|node:|node_modules|\.ts\b|stack|errno/i;

const { stack, api } = await testStack();

describe('a refusal', () => {
  it.each<[what: string, call: () => Promise<Answer>, code: string, cause: string]>([
    ['of a body', () => api.submit({}), '13004', 'field_missing'],
    ['of a caller', () => api.submit({}, { token: null }), '60000', 'token_missing'],
    ['of a nonce', () => api.submit({}, { nonce: null }), '13004', 'nonce_missing'],
    ['of an unknown order', () => api.call('GET', '/licenseOrder/1'), '13004', 'order_not_found'],
  ])(
    '%s is HTTP 299 with code, message, cause and values, faults for invalid fields, and nothing else',
    async (_what, call, code, cause) => {
      const { status, headers, body } = await call();
      expect(status).toBe(299);
      expect(headers.get('content-type')).toMatch(/^application\/json/);
      expect(headers.get('retry-after')).toBeNull();
      const { faults = [], args = [], ...envelope } = body;
      expect(envelope).toEqual({ code, message: expect.stringMatching(/^[A-Z]|^\w+: /), cause });
      expect(faults.length > 0).toBe(cause === 'field_missing');
      for (const arg of args) expect(body.message).toContain(arg);
      expect(body.message).not.toMatch(INSIDE);
      expect(body.message).not.toMatch(/\{\d\}|undefined|null|\[object/);
    },
  );
});

describe('an unknown path', () => {
  it.each([
    ...['/nothing', '/order', `${ORDER_ROOT}`, `${ORDER_ROOT}/`, `${ORDER_ROOT}/enterprise/user/bind/`],
    ...[`${ORDER_ROOT}/enterprise/user/bind/more`, `${ORDER_ROOT}/enterprise/user/bindx`],
    ...[`${ORDER_ROOT}/enterprise/user/BIND`, `${ORDER_ROOT}//enterprise/user/bind`, `${ORDER_ROOT}/licenseOrder`],
    ...[`${ORDER_ROOT}/licenseOrder/1/2`, `${ORDER_ROOT}/enterprise/user/bind;x=1`],
    `${ORDER_ROOT}/enterprise/user/bind%20`,
    ...['/order/api/order/v2/enterprise/user/bind', '/me/api/v1/nothing', '/oauth2', '/oauth2/token/', '/health'],
    ...['/docs/nothing', '/%', '/%zz'],
    ...[`${ORDER_ROOT}/licenseOrder/%ff`, `${ORDER_ROOT}/licenseOrder/%E0%A4%A`, '/%00', '/..%2f..%2fetc/passwd'],
    `${ORDER_ROOT}/${'x'.repeat(2_000)}`,
  ])('is HTTP 404 in the same shape: %s', async (path) => {
    for (const method of ['GET', 'POST', 'DELETE']) {
      const response = await fetch(`${stack.baseUrl}${path}`, { method });
      expect(response.status).toBe(404);
      expect(await response.json()).toEqual({ code: '404', message: expect.any(String), cause: 'operation_not_found' });
      expect(response.headers.get('allow')).toBeNull();
    }
  });

  it.each([
    ['application/json', '{"a":'],
    ['text/plain', 'hello'],
    ['application/xml', '<a/>'],
    ['application/json', ''],
    ['application/json', '{}', 'Bearer x'],
  ])('is 404 or 405 for any body and token: %s %s', async (type, body, authorization = '') => {
    const statuses = [];
    for (const path of ['/nothing', `${ORDER_ROOT}/enterprise/user/query`, '/health/live']) {
      const init = { method: 'POST', body, headers: { 'content-type': type, ...(authorization && { authorization }) } };
      statuses.push((await fetch(`${stack.baseUrl}${path}`, init)).status);
    }
    expect(statuses).toEqual([404, 405, 405]);
  });

  it.each([
    ['PUT', `${ORDER_ROOT}/licenseOrder/batchOrder`, ['GET', 'POST']],
    ['DELETE', `${ORDER_ROOT}/licenseOrder/batchOrder?g_nonce=x`, ['GET', 'POST']],
    ['PATCH', `${ORDER_ROOT}/licenseOrder/batchOrder`, ['GET', 'POST']],
    ['OPTIONS', `${ORDER_ROOT}/licenseOrder/batchOrder`, ['GET', 'POST']],
    ['POST', `${ORDER_ROOT}/licenseOrder/8192`, ['GET']],
    ['GET', `${ORDER_ROOT}/enterprise/user/bind`, ['POST']],
    ['GET', `${ORDER_ROOT}/enterprise/user/create`, ['POST']],
    ['POST', `${ORDER_ROOT}/enterprise/user/query`, ['GET']],
    ['GET', '/oauth2/token', ['POST']],
    ['PUT', '/oauth2/token', ['POST']],
    ['POST', '/health/live', ['GET']],
    ['DELETE', '/metrics', ['GET']],
    ['POST', '/openapi.json', ['GET']],
  ])('is HTTP 405 if the path has other methods: %s %s', async (method, path, allowed) => {
    const response = await fetch(`${stack.baseUrl}${path}`, { method });
    expect(response.status).toBe(405);
    expect(await response.json()).toEqual({ code: '405', message: expect.any(String), cause: 'method_not_allowed' });
    expect(allowOf(response)).toEqual(allowed);
  });

  it.each([
    [`${ORDER_ROOT}/licenseOrder/batchOrder`, 405, ['GET', 'POST']],
    [`${ORDER_ROOT}/enterprise/user/bind`, 405, ['POST']],
    ['/oauth2/token', 405, ['POST']],
    ['/nothing', 404, []],
    ['/%', 404, []],
  ])('answers HEAD %s with the headers alone', async (path, status, allowed) => {
    const response = await fetch(`${stack.baseUrl}${path}`, { method: 'HEAD' });
    expect(response.status).toBe(status);
    expect(allowOf(response)).toEqual(allowed);
    expect(response.headers.get('x-request-id')).toMatch(UUID);
    expect(await response.text()).toBe('');
  });

  function allowOf(response: Response): string[] {
    return (response.headers.get('allow') ?? '')
      .split(', ')
      .filter((method) => method !== '')
      .sort();
  }
});

describe('x-request-id', () => {
  const token = () => ({ authorization: `Bearer ${api.token}` });
  const nonce = () => `g_nonce=${randomUUID()}`;
  const post = (body: string, type = 'application/json') => ({
    method: 'POST',
    headers: { 'content-type': type },
    body,
  });

  it.each<[what: string, status: number, path: () => string, init?: () => RequestInit]>([
    [
      'a success',
      200,
      () => `${ORDER_ROOT}/enterprise/user/query?channelCode=a&channelCustomerId=b&defaultCustomer=N&${nonce()}`,
    ],
    ['a refused body', 299, () => `${ORDER_ROOT}/enterprise/user/bind?${nonce()}`, () => post('{}')],
    ['malformed JSON', 299, () => `${ORDER_ROOT}/enterprise/user/bind?${nonce()}`, () => post('{')],
    ['a malformed path', 404, () => '/%zz'],
    ['a wrong method', 405, () => `${ORDER_ROOT}/enterprise/user/bind`],
    ['a refused token request', 400, () => '/oauth2/token', () => post('a=b', 'application/x-www-form-urlencoded')],
    ['a token request in JSON', 400, () => '/oauth2/token', () => post('{}')],
    ['/health/live', 200, () => '/health/live'],
    ['/metrics', 200, () => '/metrics'],
  ])('is in the answer and in the log line of %s', async (_what, status, path, init) => {
    const { headers, ...rest } = init?.() ?? {};
    const response = await fetch(stack.baseUrl + path(), {
      ...rest,
      headers: { ...token(), ...(headers as Record<string, string>) },
    });
    expect(response.status).toBe(status);
    const id = response.headers.get('x-request-id');
    expect(id).toMatch(UUID);
    await expect
      .poll(() => callLines().filter((line) => line.requestId === id))
      .toMatchObject([{ status, code: expect.any(String), seconds: expect.any(Number) }]);
  });

  it.each(['12345678', 'A-z_0.9-trace', 'f'.repeat(64), randomUUID()])('is the caller’s own: %s', async (own) => {
    const response = await fetch(`${stack.baseUrl}/nothing`, { headers: { 'x-request-id': own } });
    expect(response.headers.get('x-request-id')).toBe(own);
    await expect.poll(() => callLines().map(({ requestId }) => requestId)).toContain(own);
  });

  const MALFORMED = [
    '',
    '1234567',
    'f'.repeat(65),
    ...['with blank', 'semi;colon', '"quoted-id"', '<script>alert', 'ümlaut-ümlaut'],
  ];
  it.each([...MALFORMED.map((one) => [one]), ['first-request-id', 'second-request-id']])(
    'is a new one if the caller’s is malformed, or sent twice: %j',
    async (...sent) => {
      const headers = sent.map((id): [string, string] => ['x-request-id', id]);
      const response = await fetch(`${stack.baseUrl}/nothing`, { headers });
      expect(response.headers.get('x-request-id')).toMatch(UUID);
      await response.text();
    },
  );

  it('differs from call to call', async () => {
    const calls = Array.from({ length: 20 }, () => fetch(`${stack.baseUrl}/nothing`));
    const ids = (await Promise.all(calls)).map((response) => response.headers.get('x-request-id'));
    expect(new Set(ids).size).toBe(20);
  });

  function callLines() {
    return stack.logLines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'call');
  }
});

describe('the service also answers', () => {
  const get = (path: string) => fetch(stack.baseUrl + path);

  it.each([
    ['/health/live', { status: 'live' }],
    ['/health/ready', { status: 'ready', database: 'up', queue: 'up' }],
  ])('%s', async (path, body) => {
    const response = await get(path);
    expect([response.status, await response.json()]).toEqual([200, body]);
  });

  it('/metrics', async () => {
    const customer = await api.newCustomer();
    await api.process(batchOf(newBuy(customer, [newAssetNum()]), deleteAsset(customer, ['8-never-bought'])));
    await api.submit({});
    const response = await get('/metrics');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^text\/plain/);
    const route = `method="POST",route="${ORDER_ROOT}/licenseOrder/batchOrder"`;
    for (const series of [
      `lockstep_http_request_seconds_count{${route},code="0"}`,
      `lockstep_http_request_seconds_count{${route},code="13004"}`,
      'lockstep_orders_applied_total{outcome="succeeded"}',
      'lockstep_orders_applied_total{outcome="failed"}',
    ]) {
      // Metrics may be up to a second old.
      await expect.poll(async () => await (await get('/metrics')).text()).toContain(series);
    }
  });

  it('/metrics without a series for each invented path', async () => {
    await get('/made/up/1');
    await get(`${ORDER_ROOT}/licenseOrder/123456`);
    const text = await stack.metrics.registry.metrics();
    // Not in the whole text: its values, such as the size of the heap, may contain any digits.
    const labels = text.match(/\{.*\}/g)!.join('\n');
    expect(labels).toContain(`route="${ORDER_ROOT}/licenseOrder/:licenseOrderId"`);
    expect(text).not.toContain('made');
    expect(labels).not.toContain('123456');
  });
});

describe('without the database', async () => {
  const { stack: hurt, api: caller } = await testStack({ queue: 'redis', worker: false });
  const server = new pg.Client({ connectionString: inject('postgresUrl') });
  const setConnectable = async (connectable: boolean) => {
    const name = new URL(hurt.url).pathname.slice(1);
    await server.query(`alter database ${name} allow_connections ${connectable}`);
    if (connectable) return;
    await server.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
  };

  beforeAll(async () => {
    await server.connect();
    await setConnectable(false);
  });
  afterAll(async () => {
    await setConnectable(true);
    await server.end();
  });

  const post = (path: string) => caller.call('POST', path, { body: {} });
  const get = (path: string, query: Record<string, string> = {}) => caller.call('GET', path, { query });
  it.each<[operation: string, call: () => Promise<Answer>]>([
    ['O1', () => post('/enterprise/user/bind')],
    ['O2', () => post('/enterprise/user/create')],
    ['O3', () => get('/enterprise/user/query')],
    ['O5', () => caller.submit(batchOf(deleteAsset(NOBODY, ['1'])))],
    [
      'a batch result',
      () => get('/licenseOrder/batchOrder', { channelCode: 'a', channelOrderId: 'b', waitSeconds: '30' }),
    ],
    ['an order result', () => get('/licenseOrder/8192')],
  ])('%s is code "500" with Retry-After and without internal details', async (_operation, call) => {
    const answer = await call();
    const refusal = refusalOf(answer);
    expect(answer.body).toEqual({ code: '500', cause: 'service_unavailable', message: refusal.message });
    expect(refusal.message).not.toMatch(INSIDE);
    expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect(answer.headers.get('x-request-id')).toMatch(UUID);
    expect([...answer.headers].flat().join('\n').replace(caller.baseUrl, '')).not.toMatch(INSIDE);
  });

  it('an unknown path is still 404', async () => {
    expect((await fetch(`${hurt.baseUrl}/nothing`)).status).toBe(404);
  });

  it('the token endpoint answers with an error of RFC 6749', async () => {
    const response = await fetch(`${hurt.baseUrl}/oauth2/token`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'client_credentials', client_id: 'a', client_secret: 'b' }),
    });
    const body = await response.json();
    expect(body).toEqual({ error: 'temporarily_unavailable', error_description: expect.any(String) });
    expect(JSON.stringify(body)).not.toMatch(INSIDE);
    expect(response.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect(response.headers.get('x-request-id')).toMatch(UUID);
    const counted = 'route="/oauth2/token",code="500",cause="service_unavailable"';
    await expect.poll(() => hurt.metrics.registry.metrics()).toContain(counted);
  });

  it('/health/ready reports it, and /health/live stays up', async () => {
    // The service checks once a second, however many calls ask.
    await expect.poll(async () => (await fetch(`${hurt.baseUrl}/health/ready`)).status).toBe(503);
    expect(await (await fetch(`${hurt.baseUrl}/health/ready`)).json()).toEqual({
      status: 'unavailable',
      database: 'down',
      queue: 'up',
      reason: expect.stringContaining('is not currently accepting connections'),
    });
    expect((await fetch(`${hurt.baseUrl}/health/live`)).status).toBe(200);
  });

  it('calls succeed again when it is back', async () => {
    await setConnectable(true);
    const query = { channelCode: 'a', channelCustomerId: 'b', defaultCustomer: 'Y' };
    expect((await get('/enterprise/user/query', query)).body).toEqual({ code: 0, message: 'success', data: [] });
    await expect.poll(async () => (await fetch(`${hurt.baseUrl}/health/ready`)).status).toBe(200);
  });

  const NOBODY = {
    customerId: '1',
    channelCode: 'test',
    channelCustomerId: 'nobody',
    enterpriseGlobalId: '1',
    enterpriseName: 'Nobody',
    isDefault: true,
  };
});
