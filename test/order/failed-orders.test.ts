import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { BatchOrder, type Customer, FailedOrders, operations } from '@lockstep/contract';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Answer, type Api, dataOf, refusalOf } from '../harness/api.ts';
import { newCustomersInLanes } from '../harness/lanes.ts';
import {
  batchOf,
  deleteAsset,
  deleteProduct,
  merchandise,
  newAssetNum,
  newBuy,
  productToBuy,
  type Sent,
} from '../harness/orders.ts';
import { type Stack, startStack } from '../harness/stack.ts';
import { SENT } from '../harness/stored-forms.ts';
import { readResult } from '../harness/sync-batches.ts';
import { contentOfTables } from '../harness/tables.ts';

/** Failed orders given back as they were sent (rules 6.7). */
type Batch = { channelCode: string; channelOrderId: string };

const strictAnswer = z.strictObject(FailedOrders.shape);

const submitFailed = (api: Api, { channelCode, channelOrderId }: Batch, query: Record<string, string> = {}) =>
  api.call('GET', '/licenseOrder/batchOrder/failed', { query: { channelCode, channelOrderId, ...query } });

/** What the answer holds, which is held against the contract. */
async function readFailed(
  api: Api,
  batch: Batch,
): Promise<{ channelCode: string; syncMode: string; orderList: Sent[] }> {
  const data = dataOf(await submitFailed(api, batch));
  strictAnswer.parse(data);
  return data;
}

/** The answer as it begins, of which nothing is read yet, on a connection of its own. */
async function open(api: Api, { channelCode, channelOrderId }: Batch): Promise<IncomingMessage> {
  const query = new URLSearchParams({ channelCode, channelOrderId, g_nonce: randomUUID() });
  const url = `${api.baseUrl}${operations.getFailedOrders.path}?${query}`;
  const call = get(url, { agent: false, headers: { authorization: `Bearer ${api.token}` } });
  const [response] = await once(call, 'response');
  return response;
}

/** A batch's orders as the service reads them: trimmed, absent fields left out. */
const normalised = (orders: readonly Sent[]): unknown[] =>
  JSON.parse(JSON.stringify(BatchOrder.parse(batchOf(...orders)).orderList));

const resent = (data: { channelCode: string; syncMode: string; orderList: Sent[] }) => ({
  ...data,
  channelOrderId: randomUUID(),
});

const NOT_FOUND = '8-never-bought';

/** Orders with thousands of these do not fit into the buffers of a connection. */
const newLongNum = () => `${'9'.repeat(200)}${randomUUID()}`;

const TEXT = 'x'.repeat(250);
const FEATURE = { featureCode: TEXT, featureName: TEXT, featureValue: TEXT, featureValueType: TEXT };
/** What makes an order a megabyte: a batch of such orders does not fit into the buffers of a connection. */
const MEGABYTE = {
  products: [productToBuy({ productFeatures: Array(1_000).fill({ ...FEATURE, trial: 0, trialEndDate: 0 }) })],
};

describe('with a worker', () => {
  let stack: Stack;
  let api: Api;
  let customer: Customer;

  beforeAll(async () => {
    stack = await startStack();
    api = await stack.newApi();
    customer = await api.newCustomer();
  });
  afterAll(() => stack.close());

  it('orders that the rules refuse are given back in orderList order, and no others', async () => {
    const [bought, other] = [newAssetNum(), newAssetNum()];
    const [first, second, third] = [
      deleteAsset(customer, [NOT_FOUND], { sequence: 9 }),
      newBuy({ ...customer, customerId: '404' }, [other], { sequence: 2 }),
      deleteProduct(customer, [bought], { productUri: 'gms-404' }, { sequence: 7 }),
    ];
    const batch = batchOf(first, newBuy(customer, [bought], { sequence: 3 }), second, third);
    const outcomes = await api.process(batch);
    expect(outcomes.map(({ cause }) => cause)).toEqual([
      ...['asset_not_found', null, 'customer_not_found', 'product_not_found'],
    ]);
    const answer = await submitFailed(api, batch);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(dataOf(answer)).toEqual({
      ...{ channelCode: batch.channelCode, syncMode: 'async' },
      orderList: normalised([first, second, third]),
    });
  });

  it('an order with every optional field comes back whole, passwords as they are, and is accepted again', async () => {
    // The numbers of the form's test are shared by two customers, which no async batch may do today.
    const orderList = (SENT.orderList as Sent[]).map((order) => ({ ...order, customerId: '404' }));
    const batch = { ...SENT, channelOrderId: randomUUID(), orderList };
    const outcomes = await api.process(batch);
    expect(outcomes.map(({ state }) => state)).toEqual(['failed', 'failed', 'failed']);
    const given = await readFailed(api, batch);
    expect(given.orderList).toEqual(normalised(orderList));
    expect(JSON.stringify(given.orderList[0])).toContain('"passwords":[" p ","q"]');
    const again = resent(given);
    expect((await api.process(again)).map(({ cause }) => cause)).toEqual(outcomes.map(({ cause }) => cause));
    expect(await readFailed(api, again)).toEqual(given);
    expect(stack.logLines.join('\n')).not.toMatch(/" p "| p \\"/);
  });

  it('texts with every sign that a client may send come back as they are', async () => {
    const text = 'a "quoted" \\ back\\\\slash, {braces}, [lists],\u2028 \u2029 店 😀 [[0,{}]]';
    const order = newBuy(
      { ...customer, customerId: '404' },
      [`${newAssetNum()}"\\{},`, ` ${newAssetNum()} `],
      { customerName: text, address: `1 Main Street\n${text}\r\nEnd` },
      { products: [productToBuy({ passwords: [`  ${text}\u00a0`] })], merchandises: [merchandise()] },
    );
    const batch = batchOf(order);
    await api.process(batch);
    const { orderList } = await readFailed(api, batch);
    expect(orderList).toEqual(normalised([order]));
    const { rows } = await sql<{ asset_nums: string[] }>`
      select asset_nums from failed_order join batch on batch_id = batch.id
      where channel_order_id = ${batch.channelOrderId}`.execute(stack.db);
    const [asset] = (orderList[0] as { assets: { assetNos: string[] }[] }).assets;
    expect(rows).toEqual([{ asset_nums: asset!.assetNos }]);
  });

  it('a batch none of which failed has none, nor has a sync one, nor one that was refused', async () => {
    const batch = batchOf(newBuy(customer, [newAssetNum()]));
    await api.process(batch);
    expect(await readFailed(api, batch)).toEqual({ channelCode: 'test', syncMode: 'async', orderList: [] });
    const applied = { ...batchOf(newBuy(customer, [newAssetNum()])), syncMode: 'sync' };
    await api.accept(applied);
    expect(await readFailed(api, applied)).toEqual({ channelCode: 'test', syncMode: 'sync', orderList: [] });
    const refused = { ...batchOf(deleteAsset(customer, [NOT_FOUND])), syncMode: 'sync' };
    expect(refusalOf(await api.submit(refused))).toMatchObject({ cause: 'asset_not_found' });
    expect(refusalOf(await submitFailed(api, refused))).toMatchObject({ cause: 'batch_not_found' });
  });

  it('several pieces of orders are one list', async () => {
    const orders = Array.from({ length: 1_200 }, (_, index) =>
      deleteAsset(customer, [NOT_FOUND], { address: 'é'.repeat(200 + (index % 300)) }),
    );
    const batch = batchOf(...orders);
    await api.process(batch);
    expect((await readFailed(api, batch)).orderList).toEqual(normalised(orders));
  });

  it('an order that is longer than a piece is one', async () => {
    const numbers = Array.from({ length: 4_000 }, newLongNum);
    const orders = [
      deleteAsset(customer, [NOT_FOUND]),
      deleteAsset(customer, numbers),
      deleteAsset(customer, [NOT_FOUND]),
    ];
    const batch = batchOf(...orders);
    await api.process(batch);
    expect((await readFailed(api, batch)).orderList).toEqual(normalised(orders));
  });

  it.each<[what: string, cause: string, batch: (own: Batch) => Batch]>([
    ['another number', 'batch_not_found', (own) => ({ ...own, channelOrderId: 'another' })],
    ['another channel', 'batch_not_found', (own) => ({ ...own, channelCode: 'another' })],
    ['an empty number', 'field_missing', (own) => ({ ...own, channelOrderId: ' ' })],
    ['an empty channel', 'field_missing', (own) => ({ ...own, channelCode: '' })],
    ['a number too long', 'field_invalid', (own) => ({ ...own, channelOrderId: 'x'.repeat(256) })],
    ['a control character', 'field_invalid', (own) => ({ ...own, channelCode: 'te\u0000st' })],
  ])('%s is refused with %s', async (_, cause, change) => {
    const batch = batchOf(deleteAsset(customer, [NOT_FOUND]));
    await api.process(batch);
    const before = await contentOfTables(stack.db);
    expect(refusalOf(await submitFailed(api, change(batch)))).toMatchObject({ code: '13004', cause });
    expect(await contentOfTables(stack.db)).toEqual(before);
  });

  it.each(['channelCode', 'channelOrderId'])('a call without %s is refused', async (name) => {
    const query: Record<string, string> = { channelCode: 'test', channelOrderId: 'any' };
    delete query[name];
    const answer = await api.call('GET', '/licenseOrder/batchOrder/failed', { query });
    expect(refusalOf(answer)).toMatchObject({ cause: 'field_missing', message: expect.stringContaining(name) });
  });

  it('another application has no such batch, of the same channel or bound to it', async () => {
    const batch = batchOf(deleteAsset(customer, [NOT_FOUND]));
    await api.process(batch);
    for (const other of [await stack.newApi(), await stack.newApi(['auth_order'], ['test'])]) {
      expect(refusalOf(await submitFailed(other, batch))).toMatchObject({ cause: 'batch_not_found' });
    }
    const elsewhere = await stack.newApi(['auth_order'], ['another']);
    expect(refusalOf(await submitFailed(elsewhere, batch))).toMatchObject({ cause: 'channel_not_allowed' });
  });

  describe('when what failed orders held is not kept any more', () => {
    const expired = async (batch: Batch): Promise<void> => {
      expect(refusalOf(await submitFailed(api, batch))).toEqual({
        ...{ code: '13004', cause: 'content_expired' },
        message: `What the failed orders of batch ${batch.channelOrderId} of channel test held is not kept any more.`,
      });
    };
    const failedBatch = async (...orders: Sent[]) => {
      const batch = batchOf(...orders);
      const outcomes = await api.process(batch);
      return { batch, ids: outcomes.map(({ licenseOrderId }) => licenseOrderId) };
    };
    const forget = (ids: readonly string[]) =>
      sql`delete from failed_order where license_order_id = any (${ids}::bigint[])`.execute(stack.db);

    it.each([
      ['all', [0, 1, 2]],
      ['one', [1]],
    ])('of %s of them: content_expired', async (_, which) => {
      const { batch, ids } = await failedBatch(
        ...Array.from({ length: 3 }, () => deleteAsset(customer, [NOT_FOUND])),
        newBuy(customer, [newAssetNum()]),
      );
      await forget(which.map((index) => ids[index]!));
      await expired(batch);
    });

    it('a newer release has stored it in a form that this one cannot read: a fault of the service', async () => {
      const { batch, ids } = await failedBatch(deleteAsset(customer, [NOT_FOUND]));
      await sql`update failed_order set payload_version = 2 where license_order_id = ${ids[0]!}`.execute(stack.db);
      expect(refusalOf(await submitFailed(api, batch))).toMatchObject({ code: '500', cause: 'service_unavailable' });
    });

    it('deleted while it is read: the answer breaks off, so that nobody takes a part for the whole', async () => {
      const { batch, ids } = await failedBatch(
        ...Array.from({ length: 12 }, () => newBuy({ ...customer, customerId: '404' }, [newAssetNum()], {}, MEGABYTE)),
      );
      // Nobody reads on before they are gone.
      const response = await open(api, batch);
      expect(response.statusCode).toBe(200);
      await forget(ids);
      await expect(response.toArray()).rejects.toThrow('aborted');
    });
  });
});

describe('without a worker', () => {
  let stack: Stack;
  let api: Api;

  beforeAll(async () => {
    stack = await startStack({ worker: false });
    api = await stack.newApi();
  });
  afterAll(() => stack.close());

  it('orders that were cancelled are given back, those that had taken effect are not', async () => {
    const customers = await newCustomersInLanes(api, 3);
    const orders = customers.map((customer) =>
      newBuy(customer, [newAssetNum()], {}, { merchandises: [merchandise()] }),
    );
    const batch = batchOf(...orders);
    await api.accept(batch);
    expect(await readFailed(api, batch)).toMatchObject({ orderList: [] });
    expect(await api.cancel(batch)).toEqual({ cancelled: 3, finished: 0 });
    const given = await readFailed(api, batch);
    expect(given).toEqual({ channelCode: 'test', syncMode: 'async', orderList: normalised(orders) });
    const again = { ...resent(given), syncMode: 'sync' };
    expect(await api.accept(again)).toHaveLength(3);
    expect(await readResult(api, again)).toMatchObject({ state: 'completed', succeeded: 3 });
  });

  it('an open batch gives back what has failed so far', async () => {
    const [failing, waiting] = await newCustomersInLanes(api, 2);
    const order = deleteAsset(failing!, [NOT_FOUND]);
    const batch = batchOf(newBuy(waiting!, [newAssetNum()]), order);
    await api.accept(batch);
    // A sync call drains its own lane ahead, and no other.
    await api.carryOut(newBuy(failing!, [newAssetNum()]));
    expect(await readResult(api, batch)).toMatchObject({ state: 'processing', failed: 1, pending: 1 });
    expect((await readFailed(api, batch)).orderList).toEqual(normalised([order]));
  });

  it('a client that leaves frees what its call has taken', async () => {
    const customer = await api.newCustomer();
    const orders = Array.from({ length: 12 }, () => newBuy(customer, [newAssetNum()], {}, MEGABYTE));
    const batch = batchOf(...orders);
    await api.accept(batch);
    await api.cancel(batch);
    const leave = async () => {
      const response = await open(api, batch);
      expect(response.statusCode).toBe(200);
      response.destroy();
    };
    for (let call = 0; call < 12; call++) await leave();
    const answers: Answer[] = await Promise.all(Array.from({ length: 3 }, () => submitFailed(api, batch)));
    for (const answer of answers) expect(dataOf(answer).orderList).toHaveLength(12);
    await expect
      .poll(() => stack.logLines.filter((line) => line.includes('"client left"')).length, { timeout: 20_000 })
      .toBe(12);
    expect(stack.logLines.filter((line) => line.includes('"level":50'))).toEqual([]);
  });

  it('clients that do not read hold two long orders of an application at most, and no others wait for them', async () => {
    const customer = await api.newCustomer();
    const failLong = async (owner: Api): Promise<Batch> => {
      const assets = Array.from({ length: 6 }, () => ({ assetNos: Array.from({ length: 9_000 }, newLongNum) }));
      const batch = batchOf({ ...deleteAsset(customer, []), assets });
      await owner.accept(batch);
      await owner.cancel(batch);
      return batch;
    };
    const other = await stack.newApi();
    const [long, others] = [await failLong(api), await failLong(other)];
    const held = [await open(api, long), await open(api, long)];
    let isAnswered = false;
    const third = submitFailed(api, long).finally(() => {
      isAnswered = true;
    });
    // Both begin after the third, and end before it.
    expect((await readFailed(other, others)).orderList).toHaveLength(1);
    const short = batchOf(deleteAsset(customer, [NOT_FOUND]));
    await api.accept(short);
    await api.cancel(short);
    expect((await readFailed(api, short)).orderList).toHaveLength(1);
    expect(isAnswered).toBe(false);
    held[0]!.destroy();
    expect(dataOf(await third).orderList).toHaveLength(1);
    // One that reads at last gets all of it.
    expect(JSON.parse(Buffer.concat(await held[1]!.toArray()).toString()).data.orderList).toHaveLength(1);
  });
});
