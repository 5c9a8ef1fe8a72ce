import type { BatchResult, Customer, LicenseOrderId } from '@lockstep/contract';
import { retryFailedOrders } from '@lockstep/orders';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Api, dataOf } from '../harness/api.ts';
import { acceptUnchecked, completedByFailing, refusedByPostgres } from '../harness/databases/unchecked.ts';
import { batchOf, deleteAsset, newAssetNum, newBuy, type Sent } from '../harness/orders/orders.ts';
import { readResult } from '../harness/orders/sync-batches.ts';
import { type Stack, testStack } from '../harness/stack.ts';

/** Operators retry orders that failed with internal_error (rules 9). */

let stack: Stack;
let api: Api;
let customer: Customer;

beforeEach(async () => {
  ({ stack, api } = await testStack({ worker: false }));
  customer = await api.newCustomer();
});

const retried = (...ids: LicenseOrderId[]) => retryFailedOrders(stack.db, ids);

/** Lets a worker complete a batch in which an operator fails some orders with internal_error, then stops the worker. */
async function failed(batch: ReturnType<typeof batchOf>) {
  const worker = await stack.startWorker();
  await acceptUnchecked(stack, api, batch);
  const result = await completedByFailing(stack, api, batch);
  await worker.close();
  return { ...result, failedIds: idsOf(result) };
}

/** The orders of a result that failed with internal_error. */
const idsOf = ({ orders }: Pick<BatchResult, 'orders'>) =>
  orders.flatMap(({ cause, licenseOrderId }) => (cause === 'internal_error' ? [licenseOrderId] : []));

/** Removes the orders' fault, so that they can be applied next time. */
async function mend(): Promise<void> {
  await sql`update failed_order set content = replace(content, '2147483648', '1')`.execute(stack.db);
}

/** Returns the failed orders of a batch as its application reads them. */
async function readFailed({ channelCode, channelOrderId }: ReturnType<typeof batchOf>): Promise<Sent[]> {
  const query = { channelCode, channelOrderId };
  return dataOf(await api.call('GET', '/licenseOrder/batchOrder/failed', { query })).orderList;
}

describe('a retry', () => {
  it('puts an order back before later ones of its customer, once, however often it is called', async () => {
    const assetNum = newAssetNum();
    const batch = batchOf(
      newBuy(customer, [newAssetNum()]),
      refusedByPostgres(customer, [assetNum]),
      deleteAsset(customer, [assetNum]),
    );
    const before = await failed(batch);
    expect(before).toMatchObject({ state: 'completed', succeeded: 1, failed: 2, pending: 0 });
    // These can succeed only after the order has taken effect.
    const later = [batchOf(deleteAsset(customer, [assetNum])), batchOf(newBuy(customer, [assetNum]))];
    for (const each of later) await api.accept(each);
    await mend();

    const counts = await Promise.all([retried(...before.failedIds), retried(...before.failedIds)]);
    expect(counts.map((count) => count.retried).toSorted()).toEqual([0, 1]);
    expect(await retried(...before.failedIds)).toEqual({
      retried: 0,
      notRetried: [{ licenseOrderId: before.failedIds[0], reason: 'pending', cause: null }],
    });

    const pending = await readResult(api, batch);
    expect(pending).toMatchObject({ state: 'processing', total: 3, succeeded: 1, failed: 1, pending: 1 });
    expect(pending.completedTime).toBeNull();
    expect(pending.orders[1]).toMatchObject({ state: 'pending', cause: null, finishedTime: null });
    expect([pending.orders[0], pending.orders[2]]).toEqual([before.orders[0], before.orders[2]]);

    await stack.startWorker();
    expect(await api.completed(batch)).toMatchObject({
      state: 'completed',
      succeeded: 2,
      failed: 1,
      pending: 0,
      orders: [{}, { state: 'succeeded', assets: 1, products: 2 }, { cause: 'asset_not_found' }],
    });
    for (const each of later) expect(await api.completed(each)).toMatchObject({ succeeded: 1 });
    const { rows } = await sql`select license_order_id, cause from order_retry`.execute(stack.db);
    expect(rows).toEqual([{ license_order_id: before.orders[1]!.licenseOrderId, cause: 'internal_error' }]);
  });

  it('retries only the named orders, and none that failed for another cause', async () => {
    const batch = batchOf(
      ...Array.from({ length: 3 }, () => refusedByPostgres(customer, [newAssetNum()])),
      deleteAsset(customer, [newAssetNum()]),
    );
    const { orders } = await failed(batch);
    expect(orders.map(({ cause }) => cause)).toEqual([...Array(3).fill('internal_error'), 'asset_not_found']);
    const [first, second, third, notFound] = orders.map(({ licenseOrderId }) => licenseOrderId);
    expect(await retried(notFound!, first!)).toEqual({
      retried: 1,
      notRetried: [{ licenseOrderId: notFound, reason: 'failed', cause: 'asset_not_found' }],
    });
    expect((await readResult(api, batch)).orders).toMatchObject([{ state: 'pending' }, {}, {}, { state: 'failed' }]);
    await mend();
    expect(await retried(second!, third!)).toEqual({ retried: 2, notRetried: [] });
    expect(await readResult(api, batch)).toMatchObject({ succeeded: 0, failed: 1, pending: 3 });
    // The first order still has its fault: it fails again, and can be retried again.
    await stack.startWorker();
    expect(await completedByFailing(stack, api, batch)).toMatchObject({ succeeded: 2, failed: 2, pending: 0 });
    expect(await retried(first!)).toEqual({ retried: 1, notRetried: [] });
    expect(await api.cancel(batch)).toMatchObject({ finished: expect.any(Number) });
  });

  it('names orders that cannot be retried because their contents are deleted', async () => {
    const batch = batchOf(refusedByPostgres(customer, [newAssetNum()]), refusedByPostgres(customer, [newAssetNum()]));
    const { failedIds } = await failed(batch);
    await sql`delete from failed_order where license_order_id = ${failedIds[0]}`.execute(stack.db);
    expect(await retried(...failedIds)).toEqual({
      retried: 1,
      notRetried: [{ licenseOrderId: failedIds[0], reason: 'content_expired', cause: 'internal_error' }],
    });
    expect(await readResult(api, batch)).toMatchObject({ failed: 1, pending: 1 });
  });

  it('shows its order as failed until it is retried, and not when it has succeeded', async () => {
    const [refused, notFound] = [refusedByPostgres(customer, [newAssetNum()]), deleteAsset(customer, [newAssetNum()])];
    const batch = batchOf(refused, notFound);
    const sequencesOf = async () => (await readFailed(batch)).map(({ sequence }) => sequence);
    const { failedIds } = await failed(batch);
    expect(await sequencesOf()).toEqual([refused.sequence, notFound.sequence]);
    await mend();
    expect(await retried(...failedIds)).toEqual({ retried: 1, notRetried: [] });
    expect(await sequencesOf()).toEqual([notFound.sequence]);
    await stack.startWorker();
    expect(await api.completed(batch)).toMatchObject({ succeeded: 1, failed: 1, pending: 0 });
    expect(await sequencesOf()).toEqual([notFound.sequence]);
  });

  it('shows its order as failed again, once, when it fails again', async () => {
    const batch = batchOf(refusedByPostgres(customer, [newAssetNum()]));
    const { failedIds } = await failed(batch);
    const before = await readFailed(batch);
    expect(await retried(...failedIds)).toEqual({ retried: 1, notRetried: [] });
    expect(await readFailed(batch)).toEqual([]);
    await stack.startWorker();
    expect(await completedByFailing(stack, api, batch)).toMatchObject({ succeeded: 0, failed: 1, pending: 0 });
    expect(await readFailed(batch)).toEqual(before);
  });
});

describe('the database', () => {
  it('removes an outcome only for internal_error, with an audit entry', async () => {
    const batch = batchOf(refusedByPostgres(customer, [newAssetNum()]), deleteAsset(customer, [newAssetNum()]));
    const { orders } = await failed(batch);
    const take = (index: number) =>
      sql`delete from license_order where id = ${orders[index]!.licenseOrderId}`.execute(stack.db);
    const record = (index: number) =>
      sql`insert into order_retry (license_order_id, cause, args, finished_time)
        select id, cause, args, finished_time from license_order where id = ${orders[index]!.licenseOrderId}`.execute(
        stack.db,
      );
    await expect(take(0)).rejects.toMatchObject({ constraint: 'license_order_no_delete' });
    await record(1);
    await expect(take(1)).rejects.toMatchObject({ constraint: 'license_order_no_delete' });
    await record(0);
    await sql`delete from failed_order`.execute(stack.db);
    await take(0);
    await expect(sql`update order_retry set cause = ''`.execute(stack.db)).rejects.toMatchObject({
      constraint: 'order_retry_no_update',
    });
  });
});
