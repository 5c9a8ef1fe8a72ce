import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { ORDER_ROOT, operations } from '@lockstep/contract';
import { sql } from 'kysely';
import pg from 'pg';
import type { Histogram } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { type Api, pathIn, refusalOf } from '../harness/api.ts';
import { buildCall, buildHead, readFirst, send } from '../harness/network/raw-calls.ts';
import { openSocket, type RawAnswer, readAnswers, sendRaw } from '../harness/network/raw-http.ts';
import { firstLaneOf } from '../harness/orders/lanes.ts';
import { batchOf, newAssetNum, newBuy, productToBuy } from '../harness/orders/orders.ts';
import { testStack } from '../harness/stack.ts';

const BATCH_ORDER = operations.createBatchOrder.path.slice(ORDER_ROOT.length);
const MEBIBYTE = 1024 * 1024;
/** With a mebibyte each, this many bodies would be twice as many as may be in flight. */
const MANY = 128;

const { stack, api } = await testStack();

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

// The service gives these clients up to 30 seconds. They wait while the other tests run.
const HALF_HEAD = 'GET /health/live HTTP/1.1\r\nHost: a\r\nX-Half';
const unfinishedHeads = Promise.all([
  sendRaw(stack.baseUrl, HALF_HEAD),
  sendDripping(`${HALF_HEAD}: `),
  sendRaw(stack.baseUrl, ''),
]);
const endless = sendEndlessly();
const unfinishedBody = sendUnfinished();

async function sendEndlessly(): Promise<void> {
  const socket = await openSocket(stack.baseUrl);
  socket.on('error', () => {}).write('POST /nothing HTTP/1.1\r\nhost: a\r\ncontent-length: 1000000\r\n\r\n');
  const timer = setInterval(() => socket.write('x'), 200);
  await new Promise((closed) => socket.resume().once('close', closed));
  clearInterval(timer);
}

async function sendUnfinished() {
  const requestId = randomUUID();
  const head = buildHead(api, BATCH_ORDER, { headers: { 'content-length': 1_000, 'x-request-id': requestId } });
  const socket = await send(stack.baseUrl, `${head}{`);
  const closed = once(socket, 'close');
  const answer = await readFirst(socket);
  await closed;
  return { requestId, answer };
}

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

/** Submits a body of `bytes` bytes without fields. */
const submitBlank = (caller: Api, bytes: number) => caller.submit(undefined, { rawBody: '{}'.padEnd(bytes) });
const causeOfBlank = async (caller: Api, bytes: number) => refusalOf(await submitBlank(caller, bytes)).cause;

/** Expects that bodies get room, so that calls get as far as the check of their fields. */
async function expectRoom(caller: Api): Promise<void> {
  await expect.poll(() => causeOfBlank(caller, 1_024)).toBe('field_missing');
  await expect.poll(() => causeOfBlank(caller, 2 * MEBIBYTE)).toBe('field_missing');
}

/** Returns whether the service waits for a call's body: then the call's nonce is used up. */
async function isBodyAwaited(head: string): Promise<boolean> {
  const nonce = /g_nonce=([\w-]+)/.exec(head)![1]!;
  const used = await stack.db.selectFrom('nonce').select('nonce').where('nonce', '=', nonce).execute();
  return used.length > 0;
}

/** Locks what others wait for, until released. */
async function holding(statement: string) {
  const client = new pg.Client({ connectionString: stack.url });
  await client.connect();
  await client.query('begin');
  await client.query(statement);
  return { release: () => client.end() };
}

/** Waits until `count` sessions wait for a lock. */
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

describe('a client that disconnects', () => {
  it.each(['/metrics', '/docs/static/swagger-ui-bundle.js', '/health/live', '/openapi.json'])(
    'by GET %s with a chunked body, before the answer, has no bytes in flight',
    async (path) => {
      const head = `GET ${path} HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`;
      for (const socket of await Promise.all(times(40, () => send(stack.baseUrl, head)))) socket.destroy();
      await expectRoom(api);
    },
  );

  /** Waits until `count` calls have ended since the log had `before` of them. By then, their bodies take no memory. */
  const untilEnded = (before: number, count: number) =>
    expect.poll(() => linesOf({ route: operations.createBatchOrder.path }).length).toBe(before + count);

  it('with its whole body in flight releases its memory each time', async () => {
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
    ['by resetting the connection', '499', 'client left'],
    ['by closing its writing side', '400', 'answered'],
  ])('in the middle of its body, %s, is not logged as a fault', async (how, code, ended) => {
    const requestId = randomUUID();
    const head = buildHead(api, BATCH_ORDER, { headers: { 'content-length': 1_000, 'x-request-id': requestId } });
    const socket = await send(stack.baseUrl, `${head}{"channelCode":`);
    await expect.poll(() => isBodyAwaited(head)).toBe(true);
    if (how === 'by resetting the connection') socket.resetAndDestroy();
    else socket.end();
    await expect.poll(() => linesOf({ requestId })).toMatchObject([{ code, ended }]);
    expect(stack.logLines.filter((line) => (JSON.parse(line) as { level: number }).level > 40)).toEqual([]);
  });

  it('while its token is checked has no bytes in flight', async () => {
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

  it('with calls queued behind a running one leaves a log line for each of them', async () => {
    const customer = await api.newCustomer();
    const lane = await holding(`select from lane where lane = ${firstLaneOf(customer.customerId)} for update`);
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

  it('does not prevent the log line of a sync batch, which takes effect', async () => {
    const customer = await api.newCustomer();
    const assetNum = newAssetNum();
    const batch = { ...batchOf(newBuy(customer, [assetNum])), syncMode: 'sync' };
    const lane = await holding(`select from lane where lane = ${firstLaneOf(customer.customerId)} for update`);
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
    const unanswered = new RegExp(`lockstep_http_unanswered_total\\{method="POST",route="${route}",code="0"\\} [1-9]`);
    // The text of the metrics may be older than the call.
    await expect.poll(async () => (await fetch(`${stack.baseUrl}/metrics`)).text()).toMatch(unanswered);
  });
});

it('unfinished heads are answered with 408 and logged; idle connections get no answer', async () => {
  const [half, dripping, nothing] = await unfinishedHeads;
  expect(nothing).toEqual([]);
  for (const answers of [half, dripping]) {
    expect(answers).toMatchObject([{ status: 408, headers: { 'content-type': 'application/json; charset=utf-8' } }]);
    const { body, headers } = answers[0]!;
    expect(JSON.parse(body)).toEqual({ code: '408', cause: 'request_timeout', message: expect.any(String) });
    await expect.poll(() => linesOf({ requestId: headers['x-request-id']! })).toMatchObject([{ code: '408' }]);
  }
  const calls = stack.metrics.registry.getSingleMetric('lockstep_http_request_seconds') as Histogram;
  const { values } = await calls.get();
  const isTimeout = ({ labels }: (typeof values)[number]) => labels.route === 'none' && labels.code === '408';
  expect(values.find((each) => each.metricName?.endsWith('_count') && isTimeout(each))?.value).toBeGreaterThanOrEqual(
    2,
  );
});

it('a refused client that never stops sending is disconnected', () => endless);

describe('unfinished bodies', () => {
  const stalled = (caller: Api, length: number, body: string) =>
    send(stack.baseUrl, `${buildHead(caller, BATCH_ORDER, { headers: { 'content-length': length } })}${body}`);

  it('take only as much memory as they have sent, whatever length they announce', async () => {
    const sockets = await Promise.all(times(MANY, () => stalled(api, 4 * MEBIBYTE, '{')));
    await expectRoom(api);
    for (const socket of sockets) socket.destroy();
  });

  it('of one application are refused as overload when they fill its share, and others are answered', async () => {
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

  it('of unauthenticated callers at the token endpoint do not take callers’ memory', async () => {
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
    const { requestId, answer } = await unfinishedBody;
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(JSON.parse(answer.split('\r\n\r\n')[1]!)).toMatchObject({ code: '408', cause: 'request_timeout' });
    await expect.poll(() => linesOf({ requestId, code: '408', ended: 'answered' }).length).toBe(1);
  });
});

it('a call that the framework refuses is answered, and logged as such', async () => {
  const requestId = randomUUID();
  await fetch(`${stack.baseUrl}/%zz`, { headers: { 'x-request-id': requestId } });
  await expect.poll(() => linesOf({ requestId })).toMatchObject([{ code: '404', ended: 'answered' }]);
});

describe('a small body with many faults', () => {
  const manyFaults = () => {
    const products = times(4, () => productToBuy({ productFeatures: times(10_000, () => ({})) }));
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
    'is refused for the first, without a check of the others: %s',
    async (operation) => {
      const { cause, message } = refusalOf(await api[operation](manyFaults()));
      expect(cause).toBe('field_missing');
      expect(pathIn(message)).toBe('orderList[0].assets[0].products[0].productFeatures[0].featureCode');
      expect(message).toMatch(/\b99\b/);
    },
  );
});
