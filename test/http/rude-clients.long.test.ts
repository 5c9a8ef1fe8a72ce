import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { ORDER_ROOT, operations } from '@lockstep/contract';
import { sql } from 'kysely';
import pg from 'pg';
import type { Histogram } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, pathIn, refusalOf } from '../harness/api.ts';
import { buildCall, buildHead, readFirst, send } from '../harness/network/raw-calls.ts';
import { openSocket, type RawAnswer, readAnswers, sendRaw } from '../harness/network/raw-http.ts';
import { firstLaneOf } from '../harness/orders/lanes.ts';
import { batchOf, newAssetNum, newBuy, productToBuy } from '../harness/orders/orders.ts';
import { type Stack, startStack } from '../harness/stack.ts';

const BATCH_ORDER = operations.createBatchOrder.path.slice(ORDER_ROOT.length);
const MEBIBYTE = 1024 * 1024;
/** As many as would fill the room for bodies twice, were each a mebibyte. */
const MANY = 128;
/** For what is written after the answer has gone out, or nobody was there to have it. */

let stack: Stack;
let api: Api;

beforeAll(async () => {
  stack = await startStack();
  api = await stack.newApi();
});
afterAll(() => stack.close());

interface CallLine {
  requestId: string;
  route: string;
  code: string;
  ended: string;
}

const linesOf = (wanted: Partial<CallLine>) =>
  stack.logLines
    .map((line) => JSON.parse(line) as CallLine & { msg: string })
    .filter(
      (line) =>
        line.msg === 'call' && Object.entries(wanted).every(([key, value]) => line[key as keyof CallLine] === value),
    );

const times = <Item>(count: number, item: (index: number) => Item) =>
  Array.from({ length: count }, (_, index) => item(index));

/** What becomes of a call with a body of so many bytes, which has no fields. */
const submitBlank = (caller: Api, bytes: number) => caller.submit(undefined, { rawBody: '{}'.padEnd(bytes) });
const causeOfBlank = async (caller: Api, bytes: number) => refusalOf(await submitBlank(caller, bytes)).cause;

/** There is room for bodies, as soon as what is on its way has been dealt with: calls get as far as their fields. */
async function expectRoom(caller: Api): Promise<void> {
  await expect.poll(() => causeOfBlank(caller, 1_024)).toBe('field_missing');
  await expect.poll(() => causeOfBlank(caller, 2 * MEBIBYTE)).toBe('field_missing');
}

/** Whether a call has got past its token: then its nonce is used up, and its body comes next. */
async function isBodyAwaited(head: string): Promise<boolean> {
  const nonce = /g_nonce=([\w-]+)/.exec(head)![1]!;
  const used = await stack.db.selectFrom('nonce').select('nonce').where('nonce', '=', nonce).execute();
  return used.length > 0;
}

/** Holds what others wait for, until released. */
async function holding(statement: string) {
  const client = new pg.Client({ connectionString: stack.url });
  await client.connect();
  await client.query('begin');
  await client.query(statement);
  return { release: () => client.end() };
}

/** Waits until so many sessions wait for a lock. */
async function untilWaiting(count: number): Promise<void> {
  await expect
    .poll(async () => {
      const { rows } = await sql<{ waiting: number }>`
        select count(*)::int as waiting from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(stack.db);
      return rows[0]!.waiting;
    })
    .toBeGreaterThanOrEqual(count);
}

describe('a client that leaves', () => {
  it.each(['/metrics', '/docs/static/swagger-ui-bundle.js', '/health/live', '/openapi.json'])(
    'GET %s, with a body that has no length and before the answer is there, takes nothing with it',
    async (path) => {
      const head = `GET ${path} HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`;
      for (const socket of await Promise.all(times(40, () => send(stack.baseUrl, head)))) socket.destroy();
      await expectRoom(api);
    },
  );

  /**
   * Waits until so many calls have ended that were sent when the log had `before` of them. Their bodies hold no room
   * then.
   */
  const untilEnded = (before: number, count: number) =>
    expect.poll(() => linesOf({ route: operations.createBatchOrder.path }).length).toBe(before + count);

  it('with its whole body on the way gives its room back, again and again', async () => {
    const body = `{}${' '.repeat(MEBIBYTE - 2)}`;
    const before = linesOf({ route: operations.createBatchOrder.path }).length;
    for (let left = 0; left < MANY; left += 16) {
      const sockets = await Promise.all(times(16, () => send(stack.baseUrl, buildCall(api, BATCH_ORDER, body))));
      for (const socket of sockets) socket.destroy();
    }
    await untilEnded(before, MANY);
    await expectRoom(api);
  });

  it.each([
    ['without a word', '499', 'client left'],
    ['by closing its end, and may still read', '400', 'answered'],
  ])('in the middle of its body, %s, is no fault', async (how, code, ended) => {
    const requestId = randomUUID();
    const head = buildHead(api, BATCH_ORDER, { headers: { 'content-length': 1_000, 'x-request-id': requestId } });
    const socket = await send(stack.baseUrl, `${head}{"channelCode":`);
    await expect.poll(() => isBodyAwaited(head)).toBe(true);
    if (how === 'without a word') socket.resetAndDestroy();
    else socket.end();
    await expect.poll(() => linesOf({ requestId })).toMatchObject([{ code, ended }]);
    expect(stack.logLines.filter((line) => (JSON.parse(line) as { level: number }).level > 40)).toEqual([]);
  });

  it('while its token is checked takes nothing', async () => {
    const before = linesOf({ route: operations.createBatchOrder.path }).length;
    const nonces = await holding('lock table nonce in exclusive mode');
    const body = `{}${' '.repeat(MEBIBYTE - 2)}`;
    const sockets = await Promise.all(times(MANY, () => send(stack.baseUrl, buildCall(api, BATCH_ORDER, body))));
    await untilWaiting(1);
    for (const socket of sockets) socket.destroy();
    await nonces.release();
    await untilEnded(before, MANY);
    await expectRoom(api);
  });

  it('with calls in line behind one that runs leaves a line for each of them', async () => {
    const customer = await api.newCustomer();
    const lane = await holding(`select pg_advisory_xact_lock(${0x6c616e65}, ${firstLaneOf(customer.customerId)})`);
    const sync = { ...batchOf(newBuy(customer, [newAssetNum()])), syncMode: 'sync' };
    const route = operations.takeAssetNumbers.path;
    const calls = [
      buildCall(api, BATCH_ORDER, JSON.stringify(sync)),
      ...times(12, () => buildCall(api, '/shellnums', '{"size":1}')),
    ];
    const socket = await send(stack.baseUrl, calls.join(''));
    await untilWaiting(1);
    socket.destroy();
    await lane.release();
    await expect.poll(() => linesOf({ route, ended: 'client left' }).length).toBe(12);
    await expectRoom(api);
  });

  it('does not erase the trace of a sync batch, which takes effect', async () => {
    const customer = await api.newCustomer();
    const assetNum = newAssetNum();
    const batch = { ...batchOf(newBuy(customer, [assetNum])), syncMode: 'sync' };
    const lane = await holding(`select pg_advisory_xact_lock(${0x6c616e65}, ${firstLaneOf(customer.customerId)})`);
    const route = operations.createBatchOrder.path;
    const before = linesOf({ route, code: '0', ended: 'client left' }).length;
    const socket = await send(stack.baseUrl, buildCall(api, BATCH_ORDER, JSON.stringify(batch)));
    await untilWaiting(1);
    socket.destroy();
    await once(socket, 'close');
    await lane.release();
    await expect.poll(() => linesOf({ route, code: '0', ended: 'client left' }).length).toBe(before + 1);
    const assets = await stack.db.selectFrom('asset').select('asset_num').where('asset_num', '=', assetNum).execute();
    expect(assets).toHaveLength(1);
    const metrics = await (await fetch(`${stack.baseUrl}/metrics`)).text();
    expect(metrics).toMatch(
      new RegExp(`lockstep_http_unanswered_total\\{method="POST",route="${route}",code="0"\\} [1-9]`),
    );
  });
});

async function sendDripping(text: string): Promise<RawAnswer[]> {
  const socket = await openSocket(stack.baseUrl);
  socket.write(text);
  const timer = setInterval(() => socket.write('x'), 200);
  try {
    return await readAnswers(socket);
  } finally {
    clearInterval(timer);
  }
}

it('heads that do not come to an end are answered with 408 and logged; where nothing was asked, there is no answer', async () => {
  const head = 'GET /health/live HTTP/1.1\r\nHost: a\r\nX-Half';
  const [half, dripping, nothing] = await Promise.all([
    sendRaw(stack.baseUrl, head),
    sendDripping(`${head}: `),
    sendRaw(stack.baseUrl, ''),
  ]);
  expect(nothing).toEqual([]);
  for (const answers of [half, dripping]) {
    expect(answers).toMatchObject([{ status: 408, headers: { 'content-type': 'application/json; charset=utf-8' } }]);
    const { body, headers } = answers[0]!;
    expect(JSON.parse(body)).toEqual({ code: '408', cause: 'request_timeout', message: expect.any(String) });
    await expect.poll(() => linesOf({ requestId: headers['x-request-id']! })).toMatchObject([{ code: '408' }]);
  }
  const calls = stack.metrics.registry.getSingleMetric('lockstep_http_request_seconds') as Histogram;
  const { values } = await calls.get();
  const isSuch = ({ labels }: (typeof values)[number]) => labels.route === 'none' && labels.code === '408';
  expect(values.find((each) => each.metricName?.endsWith('_count') && isSuch(each))?.value).toBeGreaterThanOrEqual(2);
});

describe('bodies that do not come to an end', () => {
  const stalled = (caller: Api, length: number, body: string) =>
    send(stack.baseUrl, `${buildHead(caller, BATCH_ORDER, { headers: { 'content-length': length } })}${body}`);

  it('take no more room than they have sent, whatever they announce', async () => {
    const sockets = await Promise.all(times(MANY, () => stalled(api, 32 * MEBIBYTE, '{')));
    await expectRoom(api);
    for (const socket of sockets) socket.destroy();
  });

  it('of one application are refused as overload where they fill its share, and others are answered', async () => {
    const other = await stack.newApi();
    const body = '{'.padEnd(MEBIBYTE - 1);
    const sockets = await Promise.all(times(MANY, () => stalled(api, MEBIBYTE, body)));
    await expect.poll(() => causeOfBlank(api, 1_024)).toBe('overloaded');
    const answer = await submitBlank(api, 1_024);
    expect(refusalOf(answer)).toMatchObject({ code: '500', cause: 'overloaded' });
    expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect(refusalOf(await api.call('GET', '/licenseOrder/1'))).toMatchObject({ cause: 'order_not_found' });
    await expectRoom(other);
    for (const socket of sockets) socket.destroy();
    await expectRoom(api);
  });

  it('of strangers at the token endpoint do not take the room of callers', async () => {
    const head = [
      'POST /oauth2/token HTTP/1.1',
      'host: a',
      'content-type: application/x-www-form-urlencoded',
      'content-length: 16384',
    ];
    const text = `${head.join('\r\n')}\r\n\r\n${'a'.repeat(16_383)}`;
    const sockets = await Promise.all(times(MANY, () => send(stack.baseUrl, text)));
    await expectRoom(api);
    for (const socket of sockets) socket.destroy();
  });

  it('are ended with 408, so that the client knows', async () => {
    const requestId = randomUUID();
    const head = buildHead(api, BATCH_ORDER, { headers: { 'content-length': 1_000, 'x-request-id': requestId } });
    const socket = await send(stack.baseUrl, `${head}{`);
    const answer = await readFirst(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(JSON.parse(answer.split('\r\n\r\n')[1]!)).toMatchObject({ code: '408', cause: 'request_timeout' });
    await once(socket, 'close');
    await expect.poll(() => linesOf({ requestId, code: '408', ended: 'answered' }).length).toBe(1);
  });
});

describe('large sync batches and previews', () => {
  /** So many numbers times products that it is large, in a body of some kilobytes. */
  async function large(caller: Api) {
    const customer = await caller.newCustomer();
    const products = times(50, () => productToBuy());
    const order = newBuy(
      customer,
      times(500, () => newAssetNum()),
      {},
      { products },
    );
    return { ...batchOf(order), syncMode: 'sync' };
  }

  it.each(['submit', 'submitPreview'] as const)(
    'of one application wait in a line that is bounded, and keep no other application out: %s',
    async (operation) => {
      const other = await stack.newApi();
      const batches = await Promise.all(times(8, () => large(api)));
      const greedy = Promise.all(batches.map((batch) => api[operation](batch)));
      const [answer] = await Promise.all([large(other).then((batch) => other[operation](batch)), greedy]);
      expect(answer.body).toMatchObject({ code: 0 });
      const causes = (await greedy).map(({ body }) => body.cause ?? 'succeeded');
      // How many of those in line get their turn in time is a matter of the machine.
      expect(new Set(causes)).toEqual(new Set(['succeeded', 'overloaded']));
    },
  );
});

it('a call that the framework refuses is answered, and its line says so', async () => {
  const requestId = randomUUID();
  await fetch(`${stack.baseUrl}/%zz`, { headers: { 'x-request-id': requestId } });
  await expect.poll(() => linesOf({ requestId })).toMatchObject([{ code: '404', ended: 'answered' }]);
});

describe('a small body of many faults', () => {
  const manyFaults = () => {
    const products = times(49, () => productToBuy({ productFeatures: times(10_000, () => ({})) }));
    const customer = {
      customerId: '1',
      channelCode: 'a',
      channelCustomerId: 'b',
      enterpriseGlobalId: '1',
      enterpriseName: 'c',
      isDefault: true,
    };
    return batchOf(newBuy(customer, [newAssetNum()], {}, { products }));
  };

  it.each(['submit', 'submitPreview'] as const)(
    'is refused for the first, and the others are not even looked at: %s',
    async (operation) => {
      const { cause, message } = refusalOf(await api[operation](manyFaults()));
      expect(cause).toBe('field_missing');
      expect(pathIn(message)).toBe('orderList[0].assets[0].products[0].productFeatures[0].featureCode');
      expect(message).toMatch(/\b99\b/);
    },
  );
});

it('a nonce that is used up by a call which is refused for its body is used up', async () => {
  const nonce = randomUUID();
  expect(refusalOf(await api.submit({}, { nonce }))).toMatchObject({ cause: 'field_missing' });
  expect(refusalOf(await api.submit({}, { nonce }))).toMatchObject({ cause: 'nonce_replayed' });
});
