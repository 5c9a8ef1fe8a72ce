import { randomUUID } from 'node:crypto';
import { BatchResult, OrderResult } from '@lockstep/contract';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Answer, type Api, dataOf, readPages, refusalOf } from '../../harness/api.ts';
import { untilReceived } from '../../harness/databases/waiting.ts';
import {
  batchOf,
  deleteAsset,
  deleteProduct,
  merchandise,
  newAssetNum,
  newBuy,
  SUCCEEDED,
} from '../../harness/orders/orders.ts';
import { QUEUE_KINDS, type Stack, startStack, testStack } from '../../harness/stack.ts';

/** The results of batches and orders (rules 6.4). Answers must match the contract in strict form. */
const strictOrder = z.strictObject(OrderResult.shape);
const strictBatch = z.strictObject({ ...BatchResult.shape, orders: z.array(strictOrder) });

type Batch = { channelCode: string; channelOrderId: string };

const submitQuery = (
  api: Api,
  { channelCode, channelOrderId }: Batch,
  query: Record<string, string> = {},
  nonce?: string,
) =>
  api.call('GET', '/licenseOrder/batchOrder', {
    query: { channelCode, channelOrderId, ...query },
    ...(nonce === undefined ? {} : { nonce }),
  });
const readResult = async (api: Api, batch: Batch, query: Record<string, string> = {}): Promise<BatchResult> =>
  strictBatch.parse(dataOf(await submitQuery(api, batch, query)));
const submitOrderQuery = (api: Api, licenseOrderId: string): Promise<Answer> =>
  api.call('GET', `/licenseOrder/${encodeURIComponent(licenseOrderId)}`);

describe('with a worker', async () => {
  const { stack, api } = await testStack();
  const customer = await api.newCustomer();

  describe('the result of a batch', () => {
    it('has every field, and every order, in orderList order', async () => {
      const [assetNum, missing] = [newAssetNum(), newAssetNum()];
      const earliest = Date.now();
      const batch = batchOf(
        newBuy(customer, [assetNum, newAssetNum()], { sequence: 40 }, { merchandises: [merchandise()] }),
        deleteProduct(customer, [assetNum], { productUri: 'gms-404' }, { sequence: 50 }),
        deleteAsset(customer, [assetNum], { sequence: 60 }),
        deleteAsset(customer, [missing], { sequence: 30 }),
      );
      const accepted = await api.accept(batch);
      const result = await readResult(api, batch, { waitSeconds: '30' });
      expect(result).toMatchObject({
        channelCode: batch.channelCode,
        channelOrderId: batch.channelOrderId,
        syncMode: 'async',
        state: 'completed',
        total: 4,
        succeeded: 2,
        failed: 2,
        pending: 0,
        held: 0,
        nextCursor: null,
      });
      const latest = Date.now();
      expect(result.acceptedTime).toBeGreaterThanOrEqual(earliest - 1);
      expect(result.completedTime).toBeGreaterThanOrEqual(result.acceptedTime);
      expect(result.completedTime).toBeLessThanOrEqual(latest + 1);
      const shared = { customerId: customer.customerId, finishedTime: expect.any(Number), heldSince: null };
      const done = { ...shared, ...SUCCEEDED };
      const failed = { ...shared, state: 'failed', code: '13004', assets: 0, products: 0 };
      const ids = accepted.map(({ licenseOrderId }) => licenseOrderId);
      expect(result.orders).toEqual([
        { ...done, sequence: 40, licenseOrderId: ids[0], orderType: 'new_buy', assets: 2, products: 4 },
        {
          ...failed,
          sequence: 50,
          licenseOrderId: ids[1],
          orderType: 'delete_product',
          cause: 'product_not_found',
          message: expect.stringContaining('gms-404'),
          args: [assetNum, 'gms-404', expect.any(String), 'assets[0].products[0]'],
          assetNums: [assetNum],
          places: ['assets[0].products[0]'],
        },
        { ...done, sequence: 60, licenseOrderId: ids[2], orderType: 'delete_asset', assets: 1, products: 2 },
        {
          ...failed,
          sequence: 30,
          licenseOrderId: ids[3],
          orderType: 'delete_asset',
          cause: 'asset_not_found',
          message: expect.any(String),
          args: [missing, 'of_customer', 'assets[0].assetNos[0]'],
          assetNums: [missing],
          places: ['assets[0].assetNos[0]'],
        },
      ]);
      for (const { finishedTime } of result.orders) {
        expect(finishedTime).toBeGreaterThanOrEqual(result.acceptedTime);
        expect(finishedTime).toBeLessThanOrEqual(result.completedTime!);
      }
    });

    it('finds its batch by keys with blanks around them', async () => {
      const batch = batchOf(newBuy(customer, [newAssetNum()]));
      await api.accept(batch);
      const spaced = { ...batch, channelCode: ` ${batch.channelCode}`, channelOrderId: `${batch.channelOrderId}  ` };
      expect(await readResult(api, spaced)).toMatchObject({ channelOrderId: batch.channelOrderId });
    });
  });

  describe('of 25 orders, every fifth of which fails, a page', async () => {
    const sent = Array.from({ length: 25 }, (_, index) =>
      index % 5 === 4 ? deleteAsset(customer, ['8-never-bought']) : newBuy(customer, [newAssetNum()]),
    );
    const batch = batchOf(...sent);
    const all = await api.process(batch);

    it('has the orders sent', async () => {
      expect(all.map(({ sequence }) => sequence)).toEqual(sent.map(({ sequence }) => sequence));
    });

    /** Returns the pages up to the one without a next cursor. */
    const pages = (query: Record<string, string>) =>
      readPages((cursor) => readResult(api, batch, { ...query, cursor }));

    it.each([
      ['1', Array(25).fill(1)],
      ['10', [10, 10, 5]],
      ['12', [12, 12, 1]],
      ['24', [24, 1]],
      ['25', [25]],
      ['26', [25]],
      ['1000', [25]],
      ['', [25]],
    ])('of limit "%s" leads to the next until all orders are listed, once and in order', async (limit, sizes) => {
      const found = await pages({ limit });
      expect(found.map(({ orders }) => orders.length)).toEqual(sizes);
      expect(found.flatMap(({ orders }) => orders)).toEqual(all);
      for (const page of found) expect(page).toMatchObject({ total: 25, succeeded: 20, failed: 5, pending: 0 });
    });

    it.each(['succeeded', 'failed', 'pending'] as const)('of %s orders has only those', async (state) => {
      const wanted = all.filter((order) => order.state === state);
      expect((await readResult(api, batch, { state })).orders).toEqual(wanted);
      const found = await pages({ state, limit: '3' });
      expect(found.flatMap(({ orders }) => orders)).toEqual(wanted);
      for (const page of found) expect(page).toMatchObject({ state: 'completed', total: 25, succeeded: 20, failed: 5 });
    });

    it('of more than 100 orders has 100 by default', async () => {
      const large = batchOf(...Array.from({ length: 101 }, () => deleteAsset(customer, ['8-never-bought'])));
      await api.accept(large);
      const page = await readResult(api, large, { waitSeconds: '30' });
      expect(page).toMatchObject({ total: 101, failed: 101, nextCursor: expect.any(String) });
      expect(page.orders).toHaveLength(100);
      expect((await readResult(api, large, { cursor: page.nextCursor! })).orders).toHaveLength(1);
    });
  });

  describe('is not found', () => {
    const NO_BATCH = { code: '13004', cause: 'batch_not_found' };
    const NO_ORDER = { code: '13004', cause: 'order_not_found' };

    it('a batch or an order of another application', async () => {
      const other = await stack.newApi();
      const batch = batchOf(newBuy(customer, [newAssetNum()]));
      const [order] = await api.accept(batch);
      expect(refusalOf(await submitQuery(other, batch))).toMatchObject(NO_BATCH);
      expect(refusalOf(await submitQuery(other, batch, { waitSeconds: '30' }))).toMatchObject(NO_BATCH);
      expect(refusalOf(await submitOrderQuery(other, order!.licenseOrderId))).toMatchObject(NO_ORDER);
    });

    it('a batch under another channelCode, another ID or different case', async () => {
      const batch = { ...batchOf(newBuy(customer, [newAssetNum()])), channelOrderId: `a${randomUUID()}` };
      await api.accept(batch);
      const upper = batch.channelOrderId.toUpperCase();
      for (const other of [{ channelCode: 'test2' }, { channelOrderId: randomUUID() }, { channelOrderId: upper }]) {
        const refusal = refusalOf(await submitQuery(api, { ...batch, ...other }));
        expect(refusal).toMatchObject(NO_BATCH);
        expect(refusal.message).toContain(other.channelOrderId ?? batch.channelOrderId);
      }
    });

    it.each(['0', '1', '007', '8191', '9'.repeat(18), '9223372036854775807', '9223372036854775808', '9'.repeat(19)])(
      'an order %s',
      async (id) => {
        const refusal = refusalOf(await submitOrderQuery(api, id));
        expect(refusal).toMatchObject(NO_ORDER);
        expect(refusal.message).toContain(id);
      },
    );

    it('an order by its ID with a leading zero, or past the end of its batch', async () => {
      const [order] = await api.accept(batchOf(newBuy(customer, [newAssetNum()])));
      const beyond = [1n, 8_191n].map((step) => String(BigInt(order!.licenseOrderId) + step));
      for (const id of [`0${order!.licenseOrderId}`, ...beyond]) {
        expect(refusalOf(await submitOrderQuery(api, id))).toMatchObject(NO_ORDER);
      }
    });
  });
});

/** Starts a call that waits for the batch. Resolves when the service has received it. */
async function startWaiting(stack: Stack, api: Api, batch: Batch): Promise<() => Promise<BatchResult>> {
  const nonce = randomUUID();
  const call = submitQuery(api, batch, { waitSeconds: '30' }, nonce);
  await untilReceived(stack.db, nonce);
  return async () => strictBatch.parse(dataOf(await call));
}

describe.each(QUEUE_KINDS)('without a worker, on %s', async (queue) => {
  const { stack, api } = await testStack({ queue, worker: false });
  const customer = await api.newCustomer();
  const batch = batchOf(newBuy(customer, [newAssetNum()]), deleteAsset(customer, ['8-never-bought']));
  await api.accept(batch);

  const NOTHING_YET = { state: 'accepted', total: 2, succeeded: 0, failed: 0, pending: 2, completedTime: null };

  it.each(['', '0', '1'])('a call that waits "%s" seconds says that the batch is accepted', async (waitSeconds) => {
    const result = await readResult(api, batch, { waitSeconds });
    expect(result).toMatchObject(NOTHING_YET);
    expect(result.orders.map(({ state }) => state)).toEqual(['pending', 'pending']);
  });

  it('a waiting call is answered when a worker has completed the batch, even if its notification is lost', async () => {
    const answers = await Promise.all(Array.from({ length: 3 }, () => startWaiting(stack, api, batch)));
    const cut = await sql<{ cut: boolean }>`
      select pg_terminate_backend(pid) as cut from pg_stat_activity
      where application_name = 'lockstep-watch' and datname = current_database()`.execute(stack.db);
    expect(cut.rows).toEqual([{ cut: true }]);
    await stack.startWorker();
    for (const answer of answers) {
      expect(await answer()).toMatchObject({ state: 'completed', succeeded: 1, failed: 1, pending: 0 });
    }
  });

  it('a waiting call is answered when a worker has completed the batch', async () => {
    const later = batchOf(newBuy(customer, [newAssetNum()]));
    await api.accept(later);
    expect(await readResult(api, later, { waitSeconds: '30' })).toMatchObject({ state: 'completed', succeeded: 1 });
  });
});

it('waiting calls are answered with what there is when the service closes', async () => {
  const stack = await startStack({ worker: false });
  const api = await stack.newApi();
  const batch = batchOf(newBuy(await api.newCustomer(), [newAssetNum()]));
  await api.accept(batch);
  const nonce = randomUUID();
  const events = api.ask('getEvents', { query: { after: '0', waitSeconds: '30' }, nonce });
  await untilReceived(stack.db, nonce);
  const answers = await Promise.all(Array.from({ length: 3 }, () => startWaiting(stack, api, batch)));
  const closed = stack.close();
  for (const answer of answers) expect(await answer()).toMatchObject({ state: 'accepted', total: 1, pending: 1 });
  expect(dataOf(await events)).toEqual({ events: [], lastId: '0', hasMore: false });
  await closed;
}, 15_000);
