import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Answer, Api, dataOf, refusalOf } from '../../harness/api.ts';
import { contentOfTables } from '../../harness/databases/tables.ts';
import { buildHead, readFirst, send } from '../../harness/network/raw-calls.ts';
import {
  batchOf,
  deleteAsset,
  feature,
  merchandise,
  newAssetNum,
  newBuy,
  productToBuy,
  type Sent,
} from '../../harness/orders/orders.ts';
import { expectSumsRight } from '../../harness/orders/sync-batches.ts';
import { startAnotherApi } from '../../harness/processes/another-api.ts';
import { testStack, untilTestsEnd } from '../../harness/stack.ts';

/** Batches resubmitted under the same channelOrderId (rules 6.1). */

const { stack, api } = await testStack();
const customer = await api.newCustomer();

const MODES = ['async', 'sync'] as const;

/** A batch with every kind of field. */
function fullBatch(syncMode: 'async' | 'sync' = 'async') {
  const product = productToBuy({
    limitStartDate: 1_700_000_000_000,
    passwords: ['p1', 'p2'],
    productFeatures: [feature({ trialEndDate: 1_893_456_000_000 })],
  });
  const element = {
    assetExtendList: [{ extendCode: 'gxxp', extendValue: '1' }],
    products: [product],
    merchandises: [merchandise({ children: [merchandise()] })],
  };
  const order = newBuy(customer, [newAssetNum(), newAssetNum()], {}, element);
  return { ...batchOf(order, newBuy(customer, [newAssetNum()])), syncMode };
}

/** Returns the same JSON value with the keys of every object reversed. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, inner]): [string, unknown] => [key, reversed(inner)])
      .reverse(),
  );
}

/** Returns the same JSON value with blanks around its free texts. */
function spaced(value: unknown, key = ''): unknown {
  const verbatim = ['syncMode', 'licenseType', 'orderType', 'customerType', 'passwords'];
  if (verbatim.includes(key)) return value;
  if (typeof value === 'string') return `  ${value}\n`;
  if (Array.isArray(value)) return value.map((inner) => spaced(inner));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, spaced(inner, name)]));
}

/** Returns the JSON value with additional fields in every object. */
function extended(value: unknown, extra: Sent): unknown {
  if (Array.isArray(value)) return value.map((inner) => extended(inner, extra));
  if (typeof value !== 'object' || value === null) return value;
  return {
    ...extra,
    ...Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, extended(inner, extra)])),
  };
}

async function countBatches(channelOrderId: string) {
  const rows = await stack.db.selectFrom('batch').select('id').where('channel_order_id', '=', channelOrderId).execute();
  return rows.length;
}

const OPTIONAL_FIELDS = [
  ...['srcLicenseOrderId', 'limitEndDate', 'borrowedUsbKey', 'transferedAssetNum', 'gmsPid', 'appKey'],
  'strictMatchWhenDelete',
];

describe.each(MODES)('%s: the same content again gets the same answer and stores nothing more', (syncMode) => {
  it.each<[how: string, again: (batch: ReturnType<typeof fullBatch>) => unknown]>([
    ['byte for byte', (batch) => batch],
    ['with its keys in another order', reversed],
    [
      'with nulls for absent fields',
      (batch) => extended(batch, Object.fromEntries(OPTIONAL_FIELDS.map((name) => [name, null]))),
    ],
    ['with empty text for absent text', (batch) => extended(batch, { srcLicenseOrderId: '', gmsPid: '', appKey: ' ' })],
    ['with unknown fields', (batch) => extended(batch, { comment: 'again', retry: { count: 2 } })],
    ['with blanks around its texts', (batch) => spaced(batch)],
    ['with the default spelled out', (batch) => extended(batch, { strictMatchWhenDelete: false })],
    [
      'with a date as ISO 8601 text in place of its milliseconds',
      (batch) => JSON.parse(JSON.stringify(batch).replace('1893456000000', '"2030-01-01T08:00:00+08:00"')),
    ],
  ])('%s', async (_how, again) => {
    const batch = fullBatch(syncMode);
    const first = await api.accept(batch);
    const result = await api.completed(batch);
    expect(result).toMatchObject({ succeeded: 2 });
    const before = await contentOfTables(stack.db);
    expect(await api.accept(again(batch))).toEqual(first);
    expect(await contentOfTables(stack.db)).toEqual(before);
    expect(await api.completed(batch)).toEqual(result);
  });

  it('with its numbers in another notation', async () => {
    const batch = fullBatch(syncMode);
    const first = await api.accept(batch);
    const rawBody = JSON.stringify(batch, null, 2)
      .replaceAll('"limitConcurrent": 1', '"limitConcurrent": 1.0')
      .replaceAll('"limitTimeDuration": 0', '"limitTimeDuration": -0')
      .replaceAll('1700000000000', '17e11')
      .replaceAll('Cost Estimator', '\\u0043ost Estimator');
    expect(dataOf(await api.submit(undefined, { rawBody }))).toEqual(first);
  });

  it('after its assets were revoked, its orders failed, and with another token of the application', async () => {
    const assetNum = newAssetNum();
    const bought = { ...batchOf(newBuy(customer, [assetNum])), syncMode };
    const failing = batchOf(deleteAsset(customer, [newAssetNum()]));
    const first = [await api.accept(bought), await api.accept(failing)];
    await api.process(batchOf(deleteAsset(customer, [assetNum]), newBuy(customer, [assetNum])));
    expect(await api.completed(failing)).toMatchObject({ failed: 1 });
    const again = await Api.logIn(stack.baseUrl, api.credentials);
    expect([await again.accept(bought), await again.accept(failing)]).toEqual(first);
    expect(await api.completed(failing)).toMatchObject({ total: 1, failed: 1 });
  });
});

describe.each(MODES)('%s: other content under the same channelOrderId is refused as a conflict', (syncMode) => {
  /** Changes one thing in the batch. */
  type Change = (batch: ReturnType<typeof fullBatch>) => unknown;
  const inText =
    (from: string, to: string): Change =>
    (batch) =>
      JSON.parse(JSON.stringify(batch).replace(from, to));

  it.each<[what: string, change: Change]>([
    ['one order less', (batch) => ({ ...batch, orderList: batch.orderList.slice(0, 1) })],
    ['one more order', (batch) => ({ ...batch, orderList: [...batch.orderList, newBuy(customer, [newAssetNum()])] })],
    ['the orders reversed', (batch) => ({ ...batch, orderList: batch.orderList.toReversed() })],
    [
      'another sequence',
      (batch) => ({ ...batch, orderList: batch.orderList.with(0, { ...batch.orderList[0], sequence: 0 }) }),
    ],
    ['another administrator', inText('admin@example.com', 'root@example.com')],
    ['different case', inText('1 Main Street', '1 MAIN STREET')],
    ['another license type', inText('normal_recover_usbkey', 'softkey')],
    ['another limit', inText('"limitConcurrent":1', '"limitConcurrent":2')],
    ['a limit that was absent', inText('"limitStartDate"', '"limitEndDate":1900000000000,"limitStartDate"')],
    ['another feature value', inText('"featureValue":"1"', '"featureValue":"2"')],
    ['another extend value', inText('"extendValue":"1"', '"extendValue":"2"')],
    ['another password of a license', inText('"p2"', '"p3"')],
    ['a blank inside a password', inText('"p2"', '" p2"')],
    [
      'another name of a nested merchandise',
      inText('"children":[{"crmProductId":"crm-m1"', '"children":[{"crmProductId":"crm-m2"'),
    ],
    ['passwords in another order', inText('"p1","p2"', '"p2","p1"')],
    ['an order that would fail', (batch) => ({ ...batch, orderList: [deleteAsset(customer, [newAssetNum()])] })],
  ])('%s', async (_what, change) => {
    const batch = fullBatch(syncMode);
    const first = await api.accept(batch);
    const result = await api.completed(batch);
    const before = await contentOfTables(stack.db);
    const changed = change(batch);
    expect(changed).not.toEqual(batch);
    const refusal = refusalOf(await api.submit(changed));
    expect(refusal).toMatchObject({ code: '13004', cause: 'channel_order_id_conflict' });
    expect(refusal.message).toContain(batch.channelOrderId);
    expect(await contentOfTables(stack.db)).toEqual(before);
    expect(await api.completed(batch)).toEqual(result);
    expect(await api.accept(batch)).toEqual(first);
  });
});

it('another application, channelCode or channelOrderId is another batch', async () => {
  const batch = { ...fullBatch(), channelOrderId: `a${randomUUID()}` };
  const { channelOrderId: id } = batch;
  const answers = [
    await api.accept(batch),
    await (await stack.newApi()).accept(batch),
    await api.accept({ ...batch, channelCode: 'test2' }),
    await api.accept({ ...batch, channelOrderId: id.toUpperCase() }),
    // These only look alike side by side.
    await api.accept({ ...batch, channelCode: 'a"b' }),
    await api.accept({ ...batch, channelCode: 'a', channelOrderId: `"b${id}` }),
  ];
  expect(new Set(answers.map(([order]) => order!.licenseOrderId)).size).toBe(answers.length);
});

describe.each(MODES)('%s: of 20 concurrent calls over two APIs', async (syncMode) => {
  const { api: second } = await untilTestsEnd(startAnotherApi(stack, api));
  /** Submits one batch ten times to each API, or two batches five times. */
  const submitAll = (batches: unknown[]) =>
    Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        (index % 2 === 0 ? api : second).submit(batches[Math.floor(index / 2) % batches.length]),
      ),
    );

  it('with the same content, all get the same answer, and it takes effect once', async () => {
    const batch = fullBatch(syncMode);
    const answers = (await submitAll([batch])).map(dataOf);
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(await countBatches(batch.channelOrderId)).toBe(1);
    expect(await api.completed(batch)).toMatchObject({ total: 2, succeeded: 2, orders: answers[0] });
    await expectSumsRight(stack.db);
  });

  it('with two contents, one content wins, and the calls with the other are refused', async () => {
    const one = fullBatch(syncMode);
    const other = { ...one, orderList: one.orderList.slice(0, 1) };
    const answers = await submitAll([one, other]);
    const accepted = answers.filter(({ status }) => status === 200).map(dataOf);
    const refused = answers.filter(({ status }) => status !== 200).map(refusalOf);
    expect([accepted.length, refused.length]).toEqual([10, 10]);
    for (const answer of accepted) expect(answer).toEqual(accepted[0]);
    for (const { cause } of refused) expect(cause).toBe('channel_order_id_conflict');
    expect(await countBatches(one.channelOrderId)).toBe(1);
    expect(await api.completed(one)).toMatchObject({ total: accepted[0].length, orders: accepted[0] });
  });
});

describe('the answer', () => {
  const locationOf = (answer: Answer) => answer.headers.get('location') ?? '';
  /** The path of a batch's result, from the root of the service. */
  const pathOfResult = ({ channelOrderId }: { channelOrderId: string }) =>
    `/order/api/order/v1/licenseOrder/batchOrder?channelCode=test&channelOrderId=${encodeURIComponent(channelOrderId)}`;

  it.each([randomUUID(), `no 7/2?a=b&c#d%20+é ${randomUUID()}`, `😀 ${randomUUID()}`])(
    'has a Location that leads to the batch %s',
    async (channelOrderId) => {
      const batch = { ...fullBatch(), channelOrderId };
      const [path, again] = [locationOf(await api.submit(batch)), locationOf(await api.submit(batch))];
      expect(path).toBe(pathOfResult(batch));
      expect(again).toBe(path);
      const location = new URL(path, stack.baseUrl);
      expect(Object.fromEntries(location.searchParams)).toEqual({ channelCode: 'test', channelOrderId });
      location.searchParams.set('g_nonce', randomUUID());
      const response = await fetch(location, { headers: { authorization: `Bearer ${api.token}` } });
      expect(await response.json()).toMatchObject({ code: 0, data: { channelOrderId, total: 2 } });
    },
  );

  it('has a Location with the path prefix of PUBLIC_URL, async and sync, for any host in the request', async () => {
    const publicUrl = 'https://example.com/lock%20step';
    const { api: other } = await untilTestsEnd(startAnotherApi(stack, api, { publicUrl }));
    for (const syncMode of ['async', 'sync'] as const) {
      const batch = { ...fullBatch(), syncMode };
      expect(locationOf(await other.submit(batch))).toBe(`/lock%20step${pathOfResult(batch)}`);
      const body = JSON.stringify(batch);
      const evil = { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' };
      const headers = { ...evil, 'content-length': Buffer.byteLength(body) };
      const socket = await send(api.baseUrl, buildHead(api, '/licenseOrder/batchOrder', { headers }) + body);
      const answer = await readFirst(socket);
      socket.destroy();
      expect(answer).toContain('HTTP/1.1 200 ');
      expect(answer).toContain(`\r\nlocation: ${pathOfResult(batch)}\r\n`);
      expect(answer).not.toContain('evil');
    }
  });

  it('has no Location if the call is refused', async () => {
    const answer = await api.submit({ ...fullBatch(), orderList: [] });
    expect(refusalOf(answer)).toMatchObject({ cause: 'field_invalid' });
    expect(answer.headers.get('location')).toBeNull();
  });
});
