import { randomUUID } from 'node:crypto';
import { buildMessage, type Cause, MAX_BATCH_BYTES, MAX_BODY_BYTES, MAX_ORDERS_PER_BATCH } from '@lockstep/contract';
import { findJsonFault } from '@lockstep/contract/json-fault';
import { describe, expect, it } from 'vitest';
import { type Answer, pathIn, refusalOf } from '../../harness/api.ts';
import { contentOfTables } from '../../harness/databases/tables.ts';
import {
  batchOf,
  deleteProduct,
  feature,
  merchandise,
  newAssetNum,
  newBuy,
  productToBuy,
  productToRevoke,
  type Sent,
} from '../../harness/orders/orders.ts';
import { syncOf } from '../../harness/orders/sync-batches.ts';
import { testStack } from '../../harness/stack.ts';

const BATCHES = ['/licenseOrder/batchOrder', '/licenseOrder/batchOrder/preview'];
const OPERATIONS = [...BATCHES, '/enterprise/user/bind', '/enterprise/user/create'];
/** The size limit of each path's body. */
const maxBytesOf = (path: string) => (BATCHES.includes(path) ? MAX_BATCH_BYTES : MAX_BODY_BYTES);
const JSON_TYPE = { 'content-type': 'application/json' };

/** Calls that are refused for their body as a whole, with nothing stored (rules 1, 4 and 6.1). */
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

/** Expects a refusal with 13004 and the cause, and nothing stored. Returns the message. */
async function expectRefused(call: () => Promise<Answer>, cause: Cause): Promise<string> {
  const before = await contentOfTables(stack.db);
  const refusal = refusalOf(await call());
  expect(refusal).toMatchObject({ code: '13004', cause });
  expect(await contentOfTables(stack.db)).toEqual(before);
  return refusal.message;
}

const bytes = (text: string) => new TextEncoder().encode(text);

describe.each(OPERATIONS)('POST %s refuses', (path) => {
  it.each(['not json', '{"channelCode":"a",}', 'channelCode=a&channelOrderId=b', '{“channelCode”: “a”}'])(
    '%j, which is not JSON, and says where',
    async (body) => {
      const message = await expectRefused(() => send(path, bytes(body), JSON_TYPE), 'json_malformed');
      expect(message).toBe(buildMessage('json_malformed', ...findJsonFault(body)!));
    },
  );

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

  it.each<[body: string | null, cause: Cause]>([
    [null, 'field_missing'],
    ['null', 'field_missing'],
    ['5', 'field_invalid'],
    ['"text"', 'field_invalid'],
    ['""', 'field_missing'],
    ['', 'field_missing'],
    [' \n ', 'field_missing'],
    ['[]', 'field_invalid'],
    ['[{"channelCode":"a"}]', 'field_invalid'],
  ])('the body %j', async (body, cause) => {
    expect(await expectRefused(() => send(path, body, body === null ? {} : JSON_TYPE), cause)).toMatch(/^body: /);
  });

  it('an empty object, by the path of its first field', async () => {
    const message = await expectRefused(() => send(path, '{}', JSON_TYPE), 'field_missing');
    expect(pathIn(message)).toMatch(/^(channelCode|crmCustomerId)$/);
  });

  it.each([
    undefined,
    ...['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/jsonp'],
    ...['application/octet-stream', 'json', ';'],
  ])('the content type %s', async (type) => {
    const headers = type === undefined ? {} : { 'content-type': type };
    const message = await expectRefused(() => send(path, bytes('{}'), headers), 'content_type_unsupported');
    expect(message).toContain('application/json');
  });

  it('a body over its limit that states its length', async () => {
    const body = bytes(`{}${' '.repeat(maxBytesOf(path) - 1)}`);
    const message = await expectRefused(() => send(path, body, JSON_TYPE), 'body_too_large');
    expect(message).toContain(String(maxBytesOf(path)));
  });

  it('a body over its limit that does not state its length', async () => {
    const body = () => ReadableStream.from(Array(5).fill(bytes(' '.repeat(1024 * 1024))));
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

/** Bodies of a few kilobytes that would need gigabytes of work (rules 4). */
describe('a batch over the work limits', async () => {
  const customer = await api.newCustomer();
  const many = <Item>(count: number, item: (index: number) => Item) =>
    Array.from({ length: count }, (_, index) => item(index));
  const numbers = (count: number) => many(count, () => newAssetNum());

  const expectTooLarge = async (body: unknown, path: string, cause: Cause = 'batch_too_large') =>
    expect(pathIn(await expectRefused(() => api.submit(body), cause))).toBe(path);

  it('is refused for an element with more extended attributes than an asset may have', async () => {
    const element = (count: number) => ({ assetExtendList: many(count, (index) => ({ extendCode: `${index}` })) });
    const order = (count: number) => newBuy(customer, numbers(1), {}, element(count));
    await expectTooLarge(batchOf(order(101)), 'orderList[0].assets[0].assetExtendList', 'field_invalid');
    expect(await api.preview(batchOf(order(100)))).toMatchObject([{ state: 'succeeded' }]);
  });

  it('is refused if numbers times products exceed the instances that a call may create', async () => {
    const products = many(100, () => productToBuy());
    const order = newBuy(customer, numbers(101), {}, { products });
    await expectTooLarge(batchOf(newBuy(customer, numbers(1)), order), 'orderList[1]');
  });

  it('counts a number without products, as in a transfer', async () => {
    const transfer = { transferedAssetNum: true, products: undefined };
    const orders = many(6, () => newBuy(customer, numbers(2_000), {}, transfer));
    await expectTooLarge(batchOf(...orders), 'orderList[5]');
    expect(refusalOf(await api.submitPreview(batchOf(...orders))).cause).toBe('batch_too_large');
  });

  it('counts nested merchandise, and the products that a revocation looks for', async () => {
    const nested = merchandise({ children: many(50, () => merchandise()) });
    const buy = newBuy(customer, numbers(100), {}, { products: [], merchandises: [nested] });
    await expectTooLarge(batchOf(buy), 'orderList[0]');
    const products = many(100, () => productToRevoke());
    const revoke = deleteProduct(customer, [], {}, { assets: [{ assetNos: numbers(101), products }] });
    await expectTooLarge(batchOf(revoke), 'orderList[0]');
  });

  it.each([
    ['products', (text: Sent) => ({ products: [productToBuy({ productFeatures: many(300, () => feature(text)) })] })],
    [
      'merchandises',
      (text: Sent) => {
        const inside = merchandise({
          licenseOrderProductList: [productToBuy({ productFeatures: many(300, () => feature(text)) })],
        });
        return { products: [], merchandises: [merchandise({ children: [inside] })] };
      },
    ],
    [
      'extended attributes',
      ({ featureName }: Sent) => ({
        assetExtendList: many(90, (index) => ({ extendCode: `${index}`, extendValue: featureName })),
      }),
    ],
  ])('is refused in any mode if %s times numbers exceed 16 MiB of text', async (_, build) => {
    const element = build({ featureName: '许'.repeat(255) });
    const order = (count: number) => newBuy(customer, numbers(count), {}, element);
    expect(await api.preview(batchOf(order(3)))).toMatchObject([{ state: 'succeeded' }]);
    const batch = batchOf(order(50), order(250));
    await expectTooLarge(batch, 'orderList[1]');
    await expectTooLarge({ ...batch, syncMode: 'sync' }, 'orderList[1]');
    expect(refusalOf(await api.submitPreview(batch))).toMatchObject({ cause: 'batch_too_large' });
  });

  it.each<[what: string, instances: number, element: () => { products: Sent[]; merchandises: Sent[] }]>([
    ['products', 1_992, () => ({ products: many(1_990, () => productToBuy()), merchandises: [merchandise()] })],
    [
      'trees of merchandise',
      1_911,
      () => {
        const child = merchandise({ licenseOrderProductList: many(8, () => productToBuy()) });
        const tree = merchandise({ licenseOrderProductList: [], children: many(11, () => child) });
        return { products: [], merchandises: [...many(19, () => tree), merchandise({ children: [child] })] };
      },
    ],
  ])('puts 2,000 instances on one asset, and is refused for one more: by %s', async (_, size, build) => {
    const element = build();
    const filled = (instances: number, ...before: Sent[]) => {
      const products = [...element.products, ...many(instances - size, () => productToBuy())];
      return newBuy(customer, [], { assets: [...before, { assetNos: numbers(1), ...element, products }] });
    };
    expect(await api.preview(batchOf(filled(2_000)))).toMatchObject([{ state: 'succeeded' }]);
    const small = { assetNos: numbers(1), products: [productToBuy()] };
    const batch = batchOf(newBuy(customer, numbers(1)), filled(2_001, small));
    await expectTooLarge(batch, 'orderList[1].assets[1]');
    const refusal = refusalOf(await api.submitPreview(batch));
    expect(refusal).toMatchObject({ cause: 'batch_too_large', message: expect.stringContaining('2000') });
  });
});

describe('O5 accepts', async () => {
  const customer = await api.newCustomer();
  const validBody = () => JSON.stringify(batchOf(newBuy(customer, [newAssetNum()])));

  it.each<[what: string, body: string | Uint8Array | ReadableStream, type?: string]>([
    ['a content type with a charset', validBody(), 'application/json; charset=utf-8'],
    ['a content type with a charset, without a space', validBody(), 'application/json;charset=UTF-8'],
    ['a content type in different case', validBody(), 'Application/JSON'],
    ['a byte order mark', bytes(`\ufeff${validBody()}`)],
    ['a body of exactly 4 MiB', validBody().padEnd(MAX_BATCH_BYTES, ' ')],
    ['a body in chunks', ReadableStream.from(Array.from(bytes(validBody()), (byte) => Uint8Array.of(byte)))],
  ])('%s', async (_what, body, type = 'application/json') => {
    expect((await send('/licenseOrder/batchOrder', body, { 'content-type': type })).body).toMatchObject({ code: 0 });
  });

  it('as many instances as a call may create', async () => {
    const products = Array.from({ length: 20 }, () => productToBuy());
    const batch = syncOf(newBuy(customer, Array.from({ length: 500 }, newAssetNum), {}, { products }));
    await api.accept(batch);
    expect((await api.completed(batch)).orders).toMatchObject([{ state: 'succeeded', assets: 500, products: 10_000 }]);
  });
});
