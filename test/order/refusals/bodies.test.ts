import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { buildMessage, MAX_BATCH_BYTES, MAX_BODY_BYTES, MAX_ORDERS_PER_BATCH } from '@lockstep/contract';
import { findJsonFault } from '@lockstep/contract/json-fault';
import { describe, expect, it } from 'vitest';
import { type Answer, pathIn, refusalOf } from '../../harness/api.ts';
import { batchOf, newAssetNum, newBuy, productToBuy } from '../../harness/orders/orders.ts';
import { testStack } from '../../harness/stack.ts';

const BATCHES = ['/licenseOrder/batchOrder', '/licenseOrder/batchOrder/preview'];
const OPERATIONS = [...BATCHES, '/enterprise/user/bind', '/enterprise/user/create'];
/** The size limit of each path's body. */
const maxBytesOf = (path: string) => (BATCHES.includes(path) ? MAX_BATCH_BYTES : MAX_BODY_BYTES);
const JSON_TYPE = { 'content-type': 'application/json' };

const { stack, api } = await testStack({ worker: false });

/** Sends a body unchanged, with only the given headers. */
async function send(
  path: string,
  body: string | Uint8Array | ReadableStream | null,
  headers: Record<string, string>,
): Promise<Answer> {
  const query = new URLSearchParams({ appKey: api.credentials.appKey, g_nonce: randomUUID() });
  const response = await fetch(`${api.baseUrl}/order/api/order/v1${path}?${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${api.token}`, ...headers },
    body,
    ...(body instanceof ReadableStream ? { duplex: 'half' } : {}),
  } as RequestInit);
  return { status: response.status, headers: response.headers, body: await response.json() };
}

async function countRows() {
  const counts = (['batch', 'lane_chunk', 'license_order', 'enterprise', 'customer', 'member'] as const).map((table) =>
    stack.db.selectFrom(table).select(stack.db.fn.countAll<string>().as('rows')).executeTakeFirstOrThrow(),
  );
  return Promise.all(counts);
}

/** Expects a refusal with 13004 and the cause, and nothing stored. Returns the message. */
async function expectRefused(call: () => Promise<Answer>, cause: string): Promise<string> {
  const before = await countRows();
  const refusal = refusalOf(await call());
  expect(refusal).toMatchObject({ code: '13004', cause });
  expect(await countRows()).toEqual(before);
  return refusal.message;
}

const bytes = (text: string) => new TextEncoder().encode(text);

describe.each(OPERATIONS)('POST %s refuses', (path) => {
  it.each([
    ['words', 'not json'],
    ['an extra comma', '{"channelCode":"a",}'],
    ['a form', 'channelCode=a&channelOrderId=b'],
    ['curly quotes', '{“channelCode”: “a”}'],
  ])('%s, which is not JSON, and says where', async (_what, body) => {
    const message = await expectRefused(() => send(path, bytes(body), JSON_TYPE), 'json_malformed');
    expect(pathIn(message)).toBe('body');
    expect(message).toBe(buildMessage('json_malformed', ...findJsonFault(body)!));
  });

  it.each([
    ['in UTF-16', Buffer.from('{"channelCode":"a"}', 'utf16le'), 'UTF-16'],
    ['that is compressed', gzipSync('{"channelCode":"a"}'), 'gzip'],
  ])('text %s, by its name', async (_what, body, name) => {
    expect(await expectRefused(() => send(path, body, JSON_TYPE), 'json_malformed')).toContain(name);
  });

  it('a key that an object repeats, however it is written, by its path', async () => {
    const body = '{"channelCode":"a","x":[{"limitEndDate":1,"limit\\u0045ndDate":null}]}';
    const message = await expectRefused(() => send(path, body, JSON_TYPE), 'field_repeated');
    expect(pathIn(message)).toBe('x[0].limitEndDate');
  });

  it('text that is not UTF-8, instead of storing it mangled', async () => {
    const gbk = Buffer.concat([Buffer.from('{"channelCode":"'), Buffer.from('c4e3bac3', 'hex'), Buffer.from('"}')]);
    const message = await expectRefused(() => send(path, gbk, JSON_TYPE), 'json_malformed');
    expect(message).toMatch(/line 1, column 17\b.*GBK/);
  });

  it.each([
    ['null', 'field_missing'],
    ['5', 'field_invalid'],
    ['"text"', 'field_invalid'],
    ['""', 'field_missing'],
    ['', 'field_missing'],
    [' \n ', 'field_missing'],
    ['[]', 'field_invalid'],
    ['[{"channelCode":"a"}]', 'field_invalid'],
  ])('the JSON value %s', async (body, cause) => {
    expect(await expectRefused(() => send(path, body, JSON_TYPE), cause)).toMatch(/^body: /);
  });

  it('an empty object, by the path of its first field', async () => {
    const message = await expectRefused(() => send(path, '{}', JSON_TYPE), 'field_missing');
    expect(pathIn(message)).toMatch(/^(channelCode|crmCustomerId)$/);
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'application/octet-stream',
    'json',
    ';',
  ])('the content type %s', async (type) => {
    const message = await expectRefused(() => send(path, '{}', { 'content-type': type }), 'content_type_unsupported');
    expect(message).toContain('application/json');
  });

  it('a body without a content type', async () => {
    await expectRefused(() => send(path, bytes('{}'), {}), 'content_type_unsupported');
  });

  it('a call without a body', async () => {
    expect(await expectRefused(() => send(path, null, {}), 'field_missing')).toMatch(/^body: /);
  });

  it('a body over its limit that states its length', async () => {
    const body = bytes(`{}${' '.repeat(maxBytesOf(path) - 1)}`);
    const message = await expectRefused(() => send(path, body, JSON_TYPE), 'body_too_large');
    expect(message).toContain(String(maxBytesOf(path)));
  });

  it('a body over its limit that does not state its length', async () => {
    const piece = bytes(' '.repeat(1024 * 1024));
    let pieces = 0;
    const body = () =>
      new ReadableStream({
        pull(controller) {
          controller.enqueue(piece);
          if (++pieces > 4) controller.close();
        },
      });
    await expectRefused(() => send(path, body(), JSON_TYPE), 'body_too_large');
  });

  it.each([
    ['lists', '[', ']', 65],
    ['objects', '{"a":', '}', 65],
    ['lists of orders inside orders', '{"orderList":[', ']}', 6_000],
    ['more lists than a call stack allows', '[', ']', 400_000],
    ['lists that never end', '[', '', 100_000],
  ])('%s nested too deep', async (_what, open, close, depth) => {
    const inside = open === '{"a":' ? '1' : '';
    const body = `${open.repeat(depth)}${inside}${close.repeat(depth)}`;
    await expectRefused(() => send(path, body, JSON_TYPE), 'json_too_deep');
  });

  it('an object of 101 members, known or unknown', async () => {
    const body = `{"a":{${'"b":0,'.repeat(100)}"b":0}}`;
    const message = buildMessage('list_too_long', 'a', 100);
    expect(await expectRefused(() => send(path, body, JSON_TYPE), 'list_too_long')).toBe(message);
  });
});

it.each(BATCHES)('a large batch is refused alike, on a thread: %s', async (path) => {
  const large = (end: string) => bytes(`{"channelCode":"${'a'.repeat(300_000)}",\n${end}`);
  const malformed = await expectRefused(() => send(path, large('“x”:1}'), JSON_TYPE), 'json_malformed');
  expect(malformed).toMatch(/line 2, column 1\b.*“/);
  const repeated = await expectRefused(() => send(path, large('"x":{"y":1,"y":1}}'), JSON_TYPE), 'field_repeated');
  expect(pathIn(repeated)).toBe('x.y');
});

describe('O5 refuses', () => {
  it.each([
    [
      'a list of 10,001 elements, known or unknown',
      `{"unknown":[${'0,'.repeat(10_000)}0]}`,
      buildMessage('list_too_long', 'unknown', 10_000),
    ],
    [
      'more than 50,000 elements',
      `[${`[${'0,'.repeat(9_999)}0],`.repeat(5)}[0]]`,
      buildMessage('list_too_long', '[4]', 50_000),
    ],
  ])('%s', async (_what, body, message) => {
    const [path = ''] = OPERATIONS;
    expect(await expectRefused(() => send(path, body, JSON_TYPE), 'list_too_long')).toBe(message);
  });
});

describe('O5 accepts', () => {
  const validBody = async () => JSON.stringify(batchOf(newBuy(await api.newCustomer(), [newAssetNum()])));

  it.each(['application/json; charset=utf-8', 'application/json;charset=UTF-8', 'Application/JSON'])(
    'the content type %s',
    async (type) => {
      const answer = await send('/licenseOrder/batchOrder', await validBody(), { 'content-type': type });
      expect(answer.body).toMatchObject({ code: 0 });
    },
  );

  it('a byte order mark', async () => {
    const answer = await send('/licenseOrder/batchOrder', bytes(`\ufeff${await validBody()}`), JSON_TYPE);
    expect(answer.body).toMatchObject({ code: 0 });
  });

  it('a body of exactly 4 MiB', async () => {
    const body = (await validBody()).padEnd(MAX_BATCH_BYTES, ' ');
    expect((await send('/licenseOrder/batchOrder', body, JSON_TYPE)).body).toMatchObject({ code: 0 });
  });

  it('a body in chunks without a length', async () => {
    const text = await validBody();
    const body = new ReadableStream({
      start(controller) {
        for (const character of bytes(text)) controller.enqueue(Uint8Array.of(character));
        controller.close();
      },
    });
    expect((await send('/licenseOrder/batchOrder', body, JSON_TYPE)).body).toMatchObject({ code: 0 });
  });
});

const CUSTOMER = { customerId: '1', channelCustomerId: 'C-1', enterpriseGlobalId: '2' };
/** A call refused for its content lists its faults, up to a limit (rules 1). */
const faultsOf = (answer: Answer) => refusalOf(answer).faults!;
const pathsOf = (answer: Answer) => faultsOf(answer).map(({ path }) => path);

describe('a refused call lists', () => {
  it('every fault with its path and a message, the first fault first', async () => {
    const product = productToBuy({
      limitEndDate: '2026-12-31',
      trialEndDate: -1,
      limitConcurrent: '1',
      strictMatchWhenDelete: 'no',
      gmsPId: 'g',
      productUri: 5,
      trial: 2,
      productFeatures: {},
    });
    const batch = batchOf(newBuy(CUSTOMER, ['A'], { customerId: 2001, adminName: null }, { products: [product] }));
    const answer = await api.submit(batch);
    expect(refusalOf(answer)).toMatchObject({ code: '13004', cause: 'field_misspelled' });
    expect(pathIn(answer.body.message)).toBe('orderList[0].assets[0].products[0].gmsPId');
    const inProduct = (field: string) => `orderList[0].assets[0].products[0].${field}`;
    expect(pathsOf(answer)).toEqual([
      inProduct('gmsPId'),
      'orderList[0].customerId',
      'orderList[0].adminName',
      inProduct('productUri'),
      inProduct('limitEndDate'),
      inProduct('limitConcurrent'),
      inProduct('strictMatchWhenDelete'),
      inProduct('trial'),
      inProduct('trialEndDate'),
      inProduct('productFeatures'),
    ]);
    const messages = faultsOf(answer).map(({ message }) => message);
    expect(messages[0]).toBe(buildMessage('field_misspelled', '', 'gmsPid').slice(2));
    expect(messages).not.toContainEqual(expect.stringMatching(/^$|^: |\{\d\}|undefined|null/));
  });

  it('one fault, in a query too', async () => {
    const answer = await api.call('GET', '/licenseOrder/orders', { query: { customerId: 'x' } });
    const [fault, ...others] = faultsOf(answer);
    expect(others).toEqual([]);
    expect(refusalOf(answer).message).toBe(`customerId: ${fault!.message}`);
    expect(fault!.path).toBe('customerId');
  });

  it('no faults if all fields are valid', async () => {
    const query = { channelCode: 'test', channelOrderId: 'none' };
    const answer = await api.ask('getBatchResult', { query });
    expect(refusalOf(answer).cause).toBe('batch_not_found');
    expect(answer.body).not.toHaveProperty('faults');
  });

  it.each([
    ['without a type', {}],
    ['of an unknown type', { orderType: 'buy', sequence: 1, assets: [{ assetNos: [5] }] }],
  ])('all faults of an order %s', async (_, order) => {
    const paths = async (one: object) => pathsOf(await api.submit({ ...batchOf(), orderList: [one] }));
    const others = await paths({ ...order, orderType: 'delete_asset' });
    expect(others.length).toBeGreaterThan(10);
    expect(await paths(order)).toEqual(['orderList[0].orderType', ...others]);
  });

  it('the first 20 of a batch with faults everywhere, in a small answer', async () => {
    const product = productToBuy({ limitEnddate: 1, [`limit${'_'.repeat(100_000)}StartDate`]: 1, productUri: 5 });
    const broken = Array.from({ length: MAX_ORDERS_PER_BATCH }, () =>
      newBuy(
        CUSTOMER,
        ['A', 'A'],
        { sequence: 'x', customerId: null },
        { products: [productToBuy({ productUri: 5 })] },
      ),
    );
    broken[0] = newBuy(CUSTOMER, ['A'], {}, { products: [product] });
    const answer = await api.submit(batchOf(...broken));
    expect(refusalOf(answer).message).toMatch(/\b99\b/);
    expect(faultsOf(answer)).toHaveLength(20);
    expect(JSON.stringify(answer.body).length).toBeLessThan(20_000);
  });
});
