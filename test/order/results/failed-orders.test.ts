import { randomUUID } from 'node:crypto';
import { BatchOrder, buildMessage } from '@lockstep/contract';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { dataOf, refusalOf } from '../../harness/api.ts';
import { SENT } from '../../harness/databases/stored-forms.ts';
import { type Batch, newLongNum, readFailed, submitFailed } from '../../harness/orders/failed-orders.ts';
import { newCustomersInLanes } from '../../harness/orders/lanes.ts';
import {
  batchOf,
  deleteAsset,
  deleteProduct,
  merchandise,
  newAssetNum,
  newBuy,
  productToBuy,
  type Sent,
} from '../../harness/orders/orders.ts';
import { readResult } from '../../harness/orders/sync-batches.ts';
import { testStack } from '../../harness/stack.ts';

/** Failed orders come back as they were sent (rules 6.7). */

/** Returns a batch's orders as the service reads them: trimmed, without absent fields. */
const normalized = (orders: readonly Sent[]): unknown[] =>
  JSON.parse(JSON.stringify(BatchOrder.parse(batchOf(...orders)).orderList));

const resent = (data: { channelCode: string; syncMode: string; orderList: Sent[] }) => ({
  ...data,
  channelOrderId: randomUUID(),
});

const NOT_FOUND = '8-never-bought';

describe('with a worker', async () => {
  const { stack, api } = await testStack();
  const customer = await api.newCustomer();

  it('orders that fail by the rules come back in orderList order, and no others', async () => {
    const [bought, other] = [newAssetNum(), newAssetNum()];
    const [first, second, third] = [
      deleteAsset(customer, [NOT_FOUND], { sequence: 9 }),
      newBuy({ ...customer, customerId: '404' }, [other], { sequence: 2 }),
      deleteProduct(customer, [bought], { productUri: 'gms-404' }, { sequence: 7 }),
    ];
    const batch = batchOf(first, newBuy(customer, [bought], { sequence: 3 }), second, third);
    const outcomes = await api.process(batch);
    expect(outcomes.map(({ cause }) => cause)).toEqual([
      'asset_not_found',
      null,
      'customer_not_found',
      'product_not_found',
    ]);
    const answer = await submitFailed(api, batch);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(dataOf(answer)).toEqual({
      channelCode: batch.channelCode,
      syncMode: 'async',
      orderList: normalized([first, second, third]),
    });
  });

  it('an order with every optional field comes back whole, with its passwords, and is accepted again', async () => {
    // The sample gives its numbers to two customers, which an async batch may not do.
    const orderList = (SENT.orderList as Sent[]).map((order) => ({ ...order, customerId: '404' }));
    const batch = { ...SENT, channelOrderId: randomUUID(), orderList };
    const outcomes = await api.process(batch);
    expect(outcomes.map(({ state }) => state)).toEqual(['failed', 'failed', 'failed']);
    const given = await readFailed(api, batch);
    expect(given.orderList).toEqual(normalized(orderList));
    expect(JSON.stringify(given.orderList[0])).toContain('"passwords":[" p ","q"]');
    const again = resent(given);
    expect((await api.process(again)).map(({ cause }) => cause)).toEqual(outcomes.map(({ cause }) => cause));
    expect(await readFailed(api, again)).toEqual(given);
    expect(stack.logLines.join('\n')).not.toMatch(/" p "| p \\"/);
  });

  it('texts with every character that a client may send come back unchanged', async () => {
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
    expect(orderList).toEqual(normalized([order]));
    const { rows } = await sql<{ asset_nums: string[] }>`
      select asset_nums from failed_order join batch on batch.id = license_order_id / 8192
      where channel_order_id = ${batch.channelOrderId}`.execute(stack.db);
    const [asset] = (orderList[0] as { assets: { assetNos: string[] }[] }).assets;
    expect(rows).toEqual([{ asset_nums: asset!.assetNos }]);
  });

  it('a batch without failed orders returns none, and neither does a sync batch or a refused one', async () => {
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

  it.each<[what: string, orders: Sent[]]>([
    [
      'orders in several chunks are one list',
      Array.from({ length: 1_200 }, (_, index) =>
        deleteAsset(customer, [NOT_FOUND], { address: 'é'.repeat(200 + (index % 300)) }),
      ),
    ],
    [
      'an order longer than a chunk is one entry',
      [[NOT_FOUND], Array.from({ length: 4_000 }, newLongNum), [NOT_FOUND]].map((nums) => deleteAsset(customer, nums)),
    ],
  ])('%s', async (_, orders) => {
    const batch = batchOf(...orders);
    await api.process(batch);
    expect((await readFailed(api, batch)).orderList).toEqual(normalized(batch.orderList));
  });

  it('is found by its key and its application, whether this is bound to its channel or not', async () => {
    const batch = batchOf(deleteAsset(customer, [NOT_FOUND]));
    await api.process(batch);
    for (const changes of [{ channelOrderId: 'another' }, { channelCode: 'another' }]) {
      expect(refusalOf(await submitFailed(api, { ...batch, ...changes }))).toMatchObject({ cause: 'batch_not_found' });
    }
    for (const other of [await stack.newApi(), await stack.newApi(['auth_order'], ['test'])]) {
      expect(refusalOf(await submitFailed(other, batch))).toMatchObject({ cause: 'batch_not_found' });
    }
    const elsewhere = await stack.newApi(['auth_order'], ['another']);
    expect(refusalOf(await submitFailed(elsewhere, batch))).toMatchObject({ cause: 'channel_not_allowed' });
  });

  describe('when the contents of failed orders are deleted', () => {
    const expired = async (batch: Batch): Promise<void> => {
      expect(refusalOf(await submitFailed(api, batch))).toEqual({
        code: '13004',
        cause: 'content_expired',
        message: buildMessage('content_expired', batch.channelOrderId, 'test'),
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
    ])('for %s of them: content_expired', async (_, which) => {
      const { batch, ids } = await failedBatch(
        ...Array.from({ length: 3 }, () => deleteAsset(customer, [NOT_FOUND])),
        newBuy(customer, [newAssetNum()]),
      );
      await forget(which.map((index) => ids[index]!));
      await expired(batch);
    });

    it('stored by a newer release in a form that this one cannot read: a fault of the service', async () => {
      const { batch, ids } = await failedBatch(deleteAsset(customer, [NOT_FOUND]));
      await sql`update failed_order set payload_version = 2 where license_order_id = ${ids[0]!}`.execute(stack.db);
      expect(refusalOf(await submitFailed(api, batch))).toMatchObject({ code: '500', cause: 'service_unavailable' });
    });
  });
});

describe('without a worker', async () => {
  const { api } = await testStack({ worker: false });

  it('cancelled orders come back, applied ones do not', async () => {
    const customers = await newCustomersInLanes(api, 3);
    const orders = customers.map((customer) =>
      newBuy(customer, [newAssetNum()], {}, { merchandises: [merchandise()] }),
    );
    const batch = batchOf(...orders);
    await api.accept(batch);
    expect(await readFailed(api, batch)).toMatchObject({ orderList: [] });
    expect(await api.cancel(batch)).toEqual({ cancelled: 3, finished: 0 });
    const given = await readFailed(api, batch);
    expect(given).toEqual({ channelCode: 'test', syncMode: 'async', orderList: normalized(orders) });
    const again = { ...resent(given), syncMode: 'sync' };
    expect(await api.accept(again)).toHaveLength(3);
    expect(await readResult(api, again)).toMatchObject({ state: 'completed', succeeded: 3 });
  });

  it('a batch in progress returns what has failed so far', async () => {
    const [failing, waiting] = await newCustomersInLanes(api, 2);
    const order = deleteAsset(failing!, [NOT_FOUND]);
    const batch = batchOf(newBuy(waiting!, [newAssetNum()]), order);
    await api.accept(batch);
    // A sync call drains only its own lane.
    await api.carryOut(newBuy(failing!, [newAssetNum()]));
    expect(await readResult(api, batch)).toMatchObject({ state: 'processing', failed: 1, pending: 1 });
    expect((await readFailed(api, batch)).orderList).toEqual(normalized([order]));
  });
});
