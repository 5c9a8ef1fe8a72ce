import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Lockstep, LockstepError, type LockstepOptions, type ResponseEvent } from './index.ts';

/** The client against a server that answers as a script says. test/model runs it against the service. */

interface Received {
  path: string;
  query: Record<string, string>;
  headers: IncomingMessage['headers'];
  body: string;
}
/** How the server answers a call. */
type Script = (response: ServerResponse, received: Received) => void;

const answer =
  (body: unknown, status = 200, headers: Record<string, string> = {}): Script =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
const ok = (data: unknown) => answer({ code: 0, message: 'success', data });
const refuse = (code: string, cause: string, headers = {}, more = {}) =>
  answer({ code, cause, message: `no: ${cause}`, ...more }, 299, headers);
const raw =
  (status: number, type: string, body: string): Script =>
  (response) =>
    response.writeHead(status, { 'content-type': type }).end(body);
const hangUp: Script = ({ socket }) => socket!.destroy();
const cutOff: Script = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': 100 }).write('{"code": 0, "da');
  setImmediate(() => response.socket!.destroy());
};

/** Starts a server with these answers, one for each call, and a client of it. `tokens`: how many it issued. */
async function serve(scripts: Script[], options: Partial<LockstepOptions> = {}) {
  const calls: Received[] = [];
  const issued = { tokens: 0, bodies: [] as string[] };
  const server = createServer(async (request, response) => {
    const url = new URL(request.url!, 'http://localhost');
    const body = await text(request);
    if (url.pathname === '/oauth2/token') {
      issued.tokens += 1;
      issued.bodies.push(body);
      // The service refuses credentials that come twice.
      if (request.headers.authorization !== undefined) return answer({}, 400)(response, {} as Received);
      return answer({ access_token: `token-${issued.tokens}`, expires_in: 7_200 })(response, {} as Received);
    }
    const { pathname: path, searchParams } = url;
    const received = { path, query: Object.fromEntries(searchParams), headers: request.headers, body };
    calls.push(received);
    scripts.shift()!(response, received);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close().closeAllConnections());
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const service = { baseUrl, appKey: 'key', appSecret: 'hush' };
  return { lockstep: new Lockstep({ ...service, ...options }), calls, issued };
}

/** Makes pauses short. Returns how long they would have been. */
function shortPauses(): number[] {
  const pauses: number[] = [];
  const real = setTimeout;
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, ms = 0, ...args: []) => {
    // Node.js has timers of its own, of 3 seconds.
    const isPause = ms >= 250 && ms !== 60_000 && ms !== 90_000 && ms !== 3_000;
    if (isPause) pauses.push(ms);
    return real(run, isPause ? 0 : ms, ...args);
  }) as never);
  return pauses;
}
afterEach(() => vi.restoreAllMocks());

const errorOf = async (call: Promise<unknown>): Promise<LockstepError> => {
  const error = await call.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(LockstepError);
  return error as LockstepError;
};

const BATCH = { channelCode: 'c', channelOrderId: 'o', syncMode: 'async' as const, orderList: [] };

describe('a call', () => {
  it('has a token, the appKey, a nonce and its body, and returns the data', async () => {
    const { lockstep, calls } = await serve([ok([{ sequence: 1 }])]);
    expect(await lockstep.orders.submit(BATCH)).toEqual([{ sequence: 1 }]);
    const [{ path, query, headers, body }] = calls as [Received];
    expect([path, query]).toEqual([
      '/order/api/order/v1/licenseOrder/batchOrder',
      { appKey: 'key', g_nonce: expect.stringMatching(/^[0-9a-f-]{36}$/) },
    ]);
    expect(headers.authorization).toBe('Bearer token-1');
    expect(JSON.parse(body)).toEqual(BATCH);
  });

  it('of the member center has the tokens of application and user, and the enterprise', async () => {
    const { lockstep, calls, issued } = await serve([ok([]), ok(null)]);
    const members = lockstep.asUser({ enterpriseGlobalId: '10/01', account: 'admin@acme', password: 'a b' });
    await members.call('listBorrowedLocks');
    await members.call('deleteEmployee', { params: { memberGlobalId: '7' } });
    expect(calls.map(({ path, headers }) => [path, headers.clienttoken, headers.usertoken])).toEqual([
      ['/me/api/v1/enterprise/10%2F01/asset/borrowUsbKeys', 'token-1', 'token-2'],
      ['/me/api/v1/enterprise/10%2F01/member/7', 'token-1', 'token-2'],
    ]);
    expect(issued.bodies[1]).toContain('username=admin%40acme&password=a+b');
  });

  it('asks once for a token, however many callers wait, even if the first one leaves', async () => {
    const { lockstep, issued } = await serve(Array.from({ length: 9 }, () => ok([])));
    const leaving = new AbortController();
    const first = lockstep.call('listWebhooks', {}, { signal: leaving.signal });
    const others = Array.from({ length: 9 }, () => lockstep.call('listWebhooks'));
    leaving.abort(new Error('left'));
    await expect(first).rejects.toThrow('left');
    await Promise.all(others);
    expect(issued.tokens).toBe(1);
  });

  it('of an operation that does not exist is refused by its name', async () => {
    const { lockstep } = await serve([]);
    await expect(lockstep.call('nope' as 'listWebhooks')).rejects.toThrow(/operation nope/);
  });

  it.each(['http://me:hunter2@host', 'ftp://host', 'host', 'http://', 'http://host?a=b'])('may not go to %s', (url) => {
    expect(() => new Lockstep({ baseUrl: url, appKey: 'key', appSecret: 'hush' })).toThrow(/^(?!.*hunter2).*baseUrl/);
  });

  it('without credentials are a TypeError', () => {
    const unset = { appKey: 'key', appSecret: undefined } as unknown as { appKey: string; appSecret: string };
    expect(() => new Lockstep({ baseUrl: 'http://host', ...unset })).toThrow(/appSecret/);
  });

  it('goes below the path of a proxy, whether that ends with a slash or not', () => {
    const lockstep = new Lockstep({ baseUrl: 'https://host/lockstep/', appKey: 'key', appSecret: 'hush' });
    expect(lockstep.baseUrl).toBe('https://host/lockstep');
  });
});

describe('a failed call', () => {
  it('says what the service said', async () => {
    const fault = { path: 'orderList', message: 'is required', cause: 'field_missing', args: ['orderList'] };
    const refusal = refuse(
      '13004',
      'field_missing',
      { 'x-request-id': 'r-1' },
      { args: ['orderList'], faults: [fault] },
    );
    const { lockstep } = await serve([refusal]);
    const error = await errorOf(lockstep.orders.submit(BATCH));
    expect(error).toMatchObject({
      ...{ operation: 'createBatchOrder', status: 299, code: '13004', cause: 'field_missing', requestId: 'r-1' },
      ...{ message: 'no: field_missing', args: ['orderList'], faults: [fault], isRetryable: false },
    });
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({ message: 'no: field_missing', cause: 'field_missing' });
  });

  it.each<[what: string, script: Script, tries: number, expected: object]>([
    ['is HTML', raw(200, 'text/html', '<html>Log in</html>'), 1, { cause: 'answer_foreign' }],
    ['is HTML of a proxy', raw(502, 'text/html', '<html>'), 3, { cause: 'answer_foreign', status: 502 }],
    ['is too much for a proxy', raw(429, 'text/html', 'slow down'), 3, { cause: 'answer_foreign' }],
    ['is from another service', answer({ ok: true }), 1, { cause: 'answer_foreign' }],
    ['redirects', answer({}, 301, { location: 'http://x.example/' }), 1, { cause: 'answer_foreign', status: 301 }],
    ['does not come', hangUp, 3, { cause: 'connection_failed', status: undefined }],
    ['is cut off', cutOff, 3, { cause: 'connection_failed', status: 200 }],
    ['is half of one', raw(200, 'application/json', '{"code": 0, "da'), 3, { cause: 'answer_incomplete' }],
    ['is 299 without a body', raw(299, 'application/json', ''), 3, { cause: 'answer_incomplete' }],
    ['has an unknown cause', refuse('13004', 'new_one'), 1, { code: '13004', cause: 'new_one' }],
    ['is an unknown fault', refuse('500', 'new_one'), 3, { code: '500', cause: 'new_one', isRetryable: true }],
    ['is overload', refuse('500', 'overloaded'), 3, { cause: 'overloaded' }],
    ['is an unclear outcome', refuse('500', 'outcome_unknown'), 3, { cause: 'outcome_unknown' }],
    ['is a repeat by a proxy', refuse('13004', 'nonce_replayed'), 3, { cause: 'nonce_replayed' }],
    ['is final', refuse('13004', 'channel_order_id_conflict'), 1, { isRetryable: false }],
  ])('whose answer %s is tried as often as that can help', async (_, script, tries, expected) => {
    shortPauses();
    const { lockstep, calls } = await serve([script, script, script], { maxRetries: 2 });
    expect(await errorOf(lockstep.orders.submit(BATCH))).toMatchObject(expected);
    expect(calls).toHaveLength(tries);
  });

  it('is repeated with the same body and key, and a new nonce', async () => {
    shortPauses();
    const { lockstep, calls } = await serve([hangUp, hangUp, ok(['8100000001'])]);
    expect(await lockstep.call('takeAssetNumbers', { body: { size: 1 } })).toEqual(['8100000001']);
    expect(new Set(calls.map(({ body }) => body)).size).toBe(1);
    expect(new Set(calls.map(({ headers }) => headers['idempotency-key']))).toEqual(new Set([expect.any(String)]));
    expect(new Set(calls.map(({ query }) => query.g_nonce)).size).toBe(3);
  });

  it('is repeated with the key of the caller', async () => {
    const { lockstep, calls } = await serve([ok([])]);
    await lockstep.call('takeAssetNumbers', { body: { size: 1 } }, { idempotencyKey: 'stored-before' });
    expect(calls[0]!.headers['idempotency-key']).toBe('stored-before');
  });

  it('waits twice as long each time, at random between half of it and all of it, and as Retry-After says', async () => {
    const pauses = shortPauses();
    vi.spyOn(Math, 'random').mockReturnValueOnce(0).mockReturnValueOnce(0.999).mockReturnValue(0.5);
    const busy = refuse('500', 'overloaded');
    const scripts = [busy, busy, busy, refuse('500', 'overloaded', { 'retry-after': '7' }), ok([])];
    await (await serve(scripts)).lockstep.call('listWebhooks');
    expect(pauses.map(Math.round)).toEqual([250, 1_000, 1_500, 7_000]);
  });

  it('has no limit if its timeout is infinite, and is not repeated if that is asked for in a strange way', async () => {
    const { lockstep, calls } = await serve([refuse('500', 'overloaded')], { timeoutMs: Number.POSITIVE_INFINITY });
    const call = lockstep.call('listWebhooks', {}, { maxRetries: -1, timeoutMs: undefined });
    expect(await errorOf(call)).toMatchObject({ cause: 'overloaded' });
    expect(calls).toHaveLength(1);
  });

  it('is not repeated if the service asks for more than a minute', async () => {
    const { lockstep, calls } = await serve([refuse('500', 'overloaded', { 'retry-after': '61' })]);
    expect(await errorOf(lockstep.call('listWebhooks'))).toMatchObject({ isRetryable: true, retryAfterMs: 61_000 });
    expect(calls).toHaveLength(1);
  });

  it.each(['as soon as it is called', 'while it waits for a token that never comes'])(
    'ends with the reason of its signal %s',
    async (when) => {
      const leaving = new AbortController();
      const abort = () => leaving.abort(new Error('left'));
      if (when.startsWith('as')) abort();
      const fetch = vi.fn(async () => {
        setImmediate(abort);
        return await new Promise<never>(() => {});
      });
      const { lockstep } = await serve([], { fetch });
      await expect(lockstep.call('listWebhooks', {}, { signal: leaving.signal })).rejects.toThrow('left');
      expect(fetch).toHaveBeenCalledTimes(when.startsWith('as') ? 0 : 1);
    },
  );

  it('ends with the reason of its signal, in a pause too', async () => {
    const leaving = new AbortController();
    const onResponse = () => leaving.abort(new Error('left'));
    const { lockstep } = await serve([hangUp], { onResponse: ({ error }) => error && onResponse() });
    await expect(lockstep.call('listWebhooks', {}, { signal: leaving.signal })).rejects.toThrow('left');
  });

  it.each<[when: string, script: Script]>([
    ['before the answer', () => {}],
    ['in the middle of the body', (response) => response.writeHead(200).write('{"code"')],
  ])('times out %s, as a connection that failed', async (_, script) => {
    const { lockstep } = await serve([script], { timeoutMs: 50, maxRetries: 0 });
    expect(await errorOf(lockstep.call('listWebhooks'))).toMatchObject({ cause: 'timed_out', isRetryable: true });
  });
});

describe('a token', () => {
  it('that is refused is replaced once for all callers, whatever maxRetries is', async () => {
    const invalid = refuse('60000', 'token_invalid');
    const byToken: Script = (response, received) =>
      (received.headers.authorization === 'Bearer token-1' ? invalid : ok([]))(response, received);
    const { lockstep, issued } = await serve(Array<Script>(6).fill(byToken), { maxRetries: 0 });
    await Promise.all(Array.from({ length: 3 }, () => lockstep.call('listWebhooks')));
    expect(issued.tokens).toBe(2);
  });

  it('that is refused again ends the call', async () => {
    const invalid = refuse('60000', 'token_invalid');
    const { lockstep, calls } = await serve([invalid, invalid]);
    expect(await errorOf(lockstep.call('listWebhooks'))).toMatchObject({ cause: 'token_invalid' });
    expect(calls).toHaveLength(2);
  });

  it('is used for its life by a clock that only runs forward', async () => {
    const { lockstep, issued } = await serve([ok([]), ok([]), ok([])]);
    await lockstep.call('listWebhooks');
    // The date is an hour off, or the machine is set to another one.
    vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 9 * 3_600_000);
    await lockstep.call('listWebhooks');
    expect(issued.tokens).toBe(1);
    vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 6_500_000);
    await lockstep.call('listWebhooks');
    expect(issued.tokens).toBe(2);
  });

  it('that is not issued is an error of OAuth 2.0', async () => {
    const fetch = async () => new Response('{"error": "invalid_client", "error_description": "no"}', { status: 401 });
    const lockstep = new Lockstep({ baseUrl: 'http://host', appKey: 'key', appSecret: 'hush', fetch });
    const error = await errorOf(lockstep.call('listWebhooks'));
    expect(error).toMatchObject({ operation: 'issueToken', code: '401', cause: 'invalid_client', isRetryable: false });
    expect(error.message).not.toContain('hush');
  });
});

describe('a list', () => {
  const page = (ids: string[], nextCursor: string | null) => ok({ assets: ids, nextCursor });
  const read = (lockstep: Lockstep) => Array.fromAsync(lockstep.list('listAssets', { query: { channelCode: 'c' } }));

  it('goes on where it was after a fault and with a new token, and skips and repeats nothing', async () => {
    shortPauses();
    const pages = [page(['a', 'b'], 'x'), hangUp, refuse('60000', 'token_invalid'), page([], 'y'), page(['c'], null)];
    const { lockstep, calls } = await serve(pages);
    expect(await read(lockstep)).toEqual(['a', 'b', 'c']);
    expect(calls.map(({ query: { channelCode, limit, cursor } }) => [channelCode, limit, cursor])).toEqual([
      ...[undefined, 'x', 'x', 'x', 'y'].map((cursor) => ['c', '200', cursor]),
    ]);
  });

  it.each([null, {}, { assets: null }, 'no'])('without entries is no answer of the service: %j', async (data) => {
    expect(await errorOf(read((await serve([ok(data)])).lockstep))).toMatchObject({ cause: 'answer_foreign' });
  });

  it('ends if a page says that it comes again', async () => {
    const { lockstep } = await serve([page(['a'], 'x'), page(['b'], 'x')]);
    expect(await errorOf(read(lockstep))).toMatchObject({ cause: 'answer_foreign' });
  });

  it('may be by page, or whole', async () => {
    const byPage = [
      ok({ list: [1], pageNum: 1, hasNextPage: true }),
      ok({ list: [2], pageNum: 2, hasNextPage: false }),
    ];
    const { lockstep, calls } = await serve([...byPage, ok([3])]);
    const params = { enterpriseGlobalId: '1' };
    expect(await Array.fromAsync(lockstep.list('listVirtualAssets', { params }))).toEqual([1, 2]);
    expect(calls.map(({ query }) => query.pageNum)).toEqual(['1', '2']);
    const query = { channelCode: 'c', channelCustomerId: 'x', defaultCustomer: 'N' } as const;
    expect(await Array.fromAsync(lockstep.list('queryCustomers', { query }))).toEqual([3]);
  });
});

describe('an export', () => {
  const rows =
    (text: string, isWhole = true): Script =>
    (response) => {
      response.writeHead(200, { 'content-type': 'text/csv; charset=utf-8' }).write(text);
      // Once the rows are on their way.
      setImmediate(() => (isWhole ? response.end() : response.socket!.destroySoon()));
    };
  const save = (lockstep: Lockstep) => Array.fromAsync(lockstep.export('csv', 'listAssets'));

  // A byte order mark is for spreadsheets.
  it('goes on after the last row when it breaks off, also in the middle of a row', async () => {
    shortPauses();
    const scripts = [
      rows('\ufeffh\r\n1,"a\r\n', false),
      rows('\ufeffh\r\n1,"a\r\nb"\r\n2', false),
      rows('\ufeffh\r\n1,"a\r\nb"\r\n2\r\n'),
    ];
    expect(await save((await serve(scripts)).lockstep)).toEqual(['\ufeffh\r\n', '1,"a\r\nb"\r\n', '2\r\n']);
  });

  it('goes on when a part of a row is its end, because what cut it off ended the answer properly', async () => {
    shortPauses();
    const { lockstep } = await serve([rows('h\r\n1\r\n2,"'), rows('h\r\n1\r\n2\r\n')]);
    expect(await save(lockstep)).toEqual(['h\r\n', '1\r\n', '2\r\n']);
  });

  it('that breaks off and has lost its last row is an error, not a gap', async () => {
    shortPauses();
    const { lockstep } = await serve([rows('h\r\n1\r\n', false), rows('h\r\n2\r\n3\r\n')]);
    expect(await errorOf(save(lockstep))).toMatchObject({ cause: 'answer_incomplete' });
  });

  it('that never gets further ends after maxRetries', async () => {
    shortPauses();
    const { lockstep, calls } = await serve(Array<Script>(9).fill(rows('h\r\n', false)), { maxRetries: 2 });
    expect(await errorOf(save(lockstep))).toMatchObject({ cause: 'connection_failed' });
    expect(calls).toHaveLength(3);
  });

  it('may be refused', async () => {
    const { lockstep } = await serve([refuse('13004', 'filter_unknown')]);
    expect(await errorOf(save(lockstep))).toMatchObject({ cause: 'filter_unknown' });
  });

  it('can be left in the middle, which closes the connection', async () => {
    let closed: Promise<unknown> | undefined;
    const begin: Script = (response) => {
      closed = once(response.socket!, 'close');
      response.writeHead(200, { 'content-type': 'text/csv' }).write('h\r\n');
    };
    const { lockstep } = await serve([begin]);
    for await (const _ of lockstep.export('csv', 'listAssets')) break;
    await closed;
  });
});

describe('the event feed', () => {
  const page = (...ids: string[]) =>
    ok({ events: ids.map((id) => ({ id })), lastId: ids.at(-1) ?? null, hasMore: false });
  const follow = async (lockstep: Lockstep, count: number, after?: string) => {
    const ids: string[] = [];
    for await (const { id } of lockstep.events({ after })) if (ids.push(id) === count) break;
    return ids;
  };

  it('is followed through an outage longer than all retries, each event once', async () => {
    shortPauses();
    const scripts = [page('1', '2'), ...Array<Script>(5).fill(hangUp), page('3')];
    const { lockstep, calls } = await serve(scripts, { maxRetries: 1 });
    expect(await follow(lockstep, 3, '0')).toEqual(['1', '2', '3']);
    expect(calls.map(({ query }) => query.after)).toEqual(['0', ...Array(6).fill('2')]);
    expect(calls[0]!.query.waitSeconds).toBe('30');
  });

  it('from now on loses nothing, even if there was no event before', async () => {
    const { lockstep, calls } = await serve([page(), page('1')]);
    expect(await follow(lockstep, 1, 'latest')).toEqual(['1']);
    expect(calls.map(({ query: { after, waitSeconds } }) => [after, waitSeconds])).toEqual([
      ['latest', '0'],
      [undefined, '30'],
    ]);
  });

  it('waits as long as the service asks, also for more than a minute', async () => {
    const pauses = shortPauses();
    const { lockstep } = await serve([refuse('500', 'overloaded', { 'retry-after': '120' }), page('1')]);
    expect(await follow(lockstep, 1)).toEqual(['1']);
    expect(pauses).toContain(120_000);
  });

  it('ends with a refusal, and if events come again', async () => {
    const { lockstep } = await serve([refuse('13004', 'event_unknown'), page('1'), page('1')]);
    expect(await errorOf(follow(lockstep, 9, '99'))).toMatchObject({ cause: 'event_unknown' });
    expect(await errorOf(follow(lockstep, 9))).toMatchObject({ cause: 'answer_foreign' });
  });
});

describe('who watches a client', () => {
  it('hears of each request and its end, and reads lines without secrets', async () => {
    shortPauses();
    const lines: string[] = [];
    const logger = { debug: (line: string) => lines.push(line), warn: (line: string) => lines.push(`! ${line}`) };
    const sent: number[] = [];
    const ended: ResponseEvent[] = [];
    const watch = { logger, onRequest: ({ attempt }: { attempt: number }) => sent.push(attempt) };
    const { lockstep } = await serve([hangUp, ok([])]);
    await lockstep.call(
      'takeAssetNumbers',
      { body: { size: 1 } },
      { ...watch, onResponse: (event) => ended.push(event) },
    );
    expect(sent).toEqual([1, 2]);
    expect(ended).toMatchObject([
      {
        operation: 'takeAssetNumbers',
        method: 'POST',
        attempt: 1,
        status: undefined,
        error: { cause: 'connection_failed' },
      },
      { url: expect.not.stringContaining('g_nonce'), attempt: 2, status: 200, error: undefined },
    ]);
    expect(lines.filter((line) => line.startsWith('!'))).toHaveLength(1);
    expect(JSON.stringify([lines, ended])).not.toMatch(/hush|token-1/);
  });

  it('may throw or reject, and the call goes on', async () => {
    shortPauses();
    const told = vi.fn((): never => {
      throw new Error('watching failed');
    });
    const watch = { logger: { debug: told, warn: told }, onRequest: told, onResponse: async () => told() };
    expect(await (await serve([hangUp, ok([7])], watch)).lockstep.call('listWebhooks')).toEqual([7]);
    expect(told).toHaveBeenCalledWith(expect.stringContaining('failed: Error: watching failed'));
  });

  it('is a tracer, if there is one, whose trace the call continues', async () => {
    const key = Symbol.for('opentelemetry.js.api.1');
    const inject = (_: unknown, carrier: object, setter: { set(carrier: object, name: string, value: string): void }) =>
      setter.set(carrier, 'traceparent', '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01');
    Object.assign(globalThis, { [key]: { context: { active: () => ({}) }, propagation: { inject } } });
    onTestFinished(() => void Reflect.deleteProperty(globalThis, key));
    const { lockstep, calls } = await serve([ok([])]);
    await lockstep.call('listWebhooks');
    expect(calls[0]!.headers.traceparent).toMatch(/^00-0af7651916cd43dd8448eb211c80319c-/);
  });
});

describe('a batch', () => {
  it('is submitted, waited for, and returned with all its orders', async () => {
    const summary = { succeeded: 1, failed: 1, nextCursor: null };
    const pages = [
      ok({ state: 'processing', orders: [], ...summary }),
      // The service is away for longer than all retries.
      ...Array<Script>(3).fill(hangUp),
      ok({ state: 'completed', orders: [{ sequence: 1 }], ...summary, nextCursor: 'x' }),
      ok({ orders: [{ sequence: 1 }], nextCursor: 'x' }),
      ok({ orders: [{ sequence: 2 }], nextCursor: null }),
    ];
    shortPauses();
    const { lockstep, calls } = await serve([ok([]), ...pages], { maxRetries: 1 });
    const result = await lockstep.orders.submitAndWait(BATCH);
    expect(result).toEqual({ state: 'completed', orders: [{ sequence: 1 }, { sequence: 2 }], ...summary });
    expect(calls.slice(1, 3).map(({ query }) => query.waitSeconds)).toEqual(['30', '30']);
  });
});
