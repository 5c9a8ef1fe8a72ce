import type { BatchResult, Customer, LicenseOrderId } from '@lockstep/contract';
import { FailedByOperator, HoldPage } from '@lockstep/contract/console';
import { retryFailedOrders } from '@lockstep/orders';
import { sql } from 'kysely';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Api, dataOf } from '../harness/api.ts';
import { ConsoleClient } from '../harness/browser/console.ts';
import { acceptUnchecked, completedByFailing, failOrders, refusedByPostgres } from '../harness/databases/unchecked.ts';
import { batchOf, deleteAsset, newAssetNum, newBuy, type Sent } from '../harness/orders/orders.ts';
import { buyStrict, refuseStrict } from '../harness/orders/strict-orders.ts';
import { readResult } from '../harness/orders/sync-batches.ts';
import { type Ended, endEverything, newDataDir, runJob } from '../harness/processes/processes.ts';
import { type Stack, testStack } from '../harness/stack.ts';

/** Operators fail pending orders, and retry those that failed with internal_error (rules 9). */

const PATIENTLY = { timeout: 60_000 };

let stack: Stack;
let api: Api;
let customer: Customer;
let other: Customer;

beforeEach(async () => {
  ({ stack, api } = await testStack({ worker: false }));
  customer = await api.newCustomer();
  other = await api.newCustomer();
});
afterAll(endEverything);

function fail(...words: string[]): Promise<Ended> {
  const command = ['npm', 'run', '--silent', 'lockstep', '--', 'order', 'fail', ...words];
  return runJob(command, { DATABASE_URL: stack.url, DATA_DIR: newDataDir() });
}

async function accept(...orders: Parameters<typeof batchOf>) {
  const batch = batchOf(...orders);
  const accepted = await api.accept(batch);
  return { batch, ids: accepted.map(({ licenseOrderId }) => licenseOrderId) };
}

const untilHeld = (batch: ReturnType<typeof batchOf>, held: number) =>
  vi.waitUntil(async () => (await readResult(api, batch)).held === held, PATIENTLY);
const readAuditLog = () =>
  stack.db.selectFrom('operator_audit').select(['action', 'target', 'after']).orderBy('id').execute();

/** A batch with a held order and two behind it, all of the same customer. */
async function acceptHeld() {
  await refuseStrict(stack.db);
  const assetNum = newAssetNum();
  const sent = await accept(
    buyStrict(customer, assetNum),
    newBuy(customer, [assetNum]),
    deleteAsset(customer, [assetNum]),
    newBuy(other, [newAssetNum()]),
  );
  await stack.startWorker();
  await untilHeld(sent.batch, 3);
  return sent;
}

describe('lockstep order fail', () => {
  it('does nothing and prints the later orders until told to keep or fail them; then they run', async () => {
    const { batch, ids } = await acceptHeld();
    const undecided = await fail(ids[0]!, '--reason', 'ticket 4711');
    expect(undecided).toMatchObject({ status: 2, stdout: `${ids[1]}\n${ids[2]}\n` });
    expect(await readResult(api, batch)).toMatchObject({ failed: 0, held: 3 });
    expect(await readAuditLog()).toEqual([]);

    expect(await fail(ids[0]!, '--reason', 'ticket 4711', '--later', 'keep')).toMatchObject({
      status: 0,
      stdout: '{"failed":1}\n',
      stderr: '',
    });
    const result = await api.completed(batch);
    expect(result).toMatchObject({
      succeeded: 3,
      failed: 1,
      held: 0,
      orders: [{ state: 'failed', code: '500', cause: 'internal_error' }, {}, {}, {}],
    });
    expect(JSON.stringify(result)).not.toContain('ticket');
    expect(await readAuditLog()).toEqual([
      {
        action: 'order.failed',
        target: ids[0],
        after: { state: 'failed', cause: 'internal_error', reason: 'ticket 4711' },
      },
    ]);
    expect(await stack.db.selectFrom('order_hold').selectAll().execute()).toEqual([]);
  });

  it('fails orders that are not held, and later ones with them, all or none', async () => {
    const first = await accept(newBuy(customer, [newAssetNum()]), newBuy(other, [newAssetNum()]));
    const second = await accept(newBuy(customer, [newAssetNum()]), newBuy(other, [newAssetNum()]));
    expect(await fail(first.ids[0]!, '1', '--reason', 'none')).toMatchObject({ status: 4, stdout: '' });
    expect(await readResult(api, first.batch)).toMatchObject({ failed: 0, pending: 2 });
    expect(await fail(first.ids[0]!, '--reason', 'both', '--later', 'fail')).toMatchObject({ status: 0 });
    expect(await readResult(api, first.batch)).toMatchObject({ failed: 1, pending: 1 });
    expect(await readResult(api, second.batch)).toMatchObject({ failed: 1, pending: 1 });
    await stack.startWorker();
    for (const { batch } of [first, second])
      expect(await api.completed(batch)).toMatchObject({ succeeded: 1, failed: 1 });
    // Failing an order twice is an error and changes nothing.
    expect(await fail(first.ids[0]!, '--reason', 'again')).toMatchObject({ status: 2 });
    expect(await readAuditLog()).toHaveLength(2);
  });
});

it('orders that cannot be read can be failed one by one', async () => {
  const { batch, ids } = await accept(newBuy(customer, [newAssetNum()]), newBuy(customer, [newAssetNum()]));
  await sql`update lane_chunk set payload = '{}'`.execute(stack.db);
  const end = (id: string | undefined) => failOrders(stack.db, [id as never]);
  expect(await end(ids[0])).toMatchObject({ outcome: 'failed' });
  expect(await readResult(api, batch)).toMatchObject({ failed: 1, pending: 1, held: 1 });
  expect(await end(ids[1])).toMatchObject({ outcome: 'failed' });
  expect(await readResult(api, batch)).toMatchObject({ state: 'completed', failed: 2 });
});

describe('the console', () => {
  it('lists holds, and lets support fail an order as the command does', async () => {
    const { batch, ids } = await acceptHeld();
    const [viewer, support] = await Promise.all([
      ConsoleClient.logIn(stack, 'viewer'),
      ConsoleClient.logIn(stack, 'support'),
    ]);
    const page = await viewer.call('listHolds', { query: {} });
    HoldPage.strict().parse(page);
    expect(page).toMatchObject({
      holds: [
        {
          customerId: customer.customerId,
          licenseOrderId: ids[0],
          orders: 3,
          lastError: expect.stringContaining('stricter'),
        },
      ],
      nextCursor: null,
    });
    const end = (body: { reason: string; later?: 'keep' | 'fail' }) =>
      support.call('failOrder', { params: { licenseOrderId: ids[0]! }, body });
    const undecided = await end({ reason: 'ticket 4711' });
    FailedByOperator.strict().parse(undecided);
    expect(undecided).toEqual({ outcome: 'later_pending', licenseOrderIds: [ids[1], ids[2]], orders: 2 });
    expect(await end({ reason: 'ticket 4711', later: 'fail' })).toMatchObject({ outcome: 'failed', orders: 3 });
    expect(await api.completed(batch)).toMatchObject({ succeeded: 1, failed: 3 });
    expect(await end({ reason: 'again' })).toMatchObject({ outcome: 'not_pending', orders: 1 });
    const entries = await readAuditLog();
    expect(entries.filter(({ action }) => action === 'order.failed').map(({ target }) => target)).toEqual(
      ids.slice(0, 3),
    );
    expect((await viewer.call('listHolds', { query: {} })).holds).toEqual([]);
  });
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
        select id, cause, args, finished_time from license_order
        where id = ${orders[index]!.licenseOrderId}`.execute(stack.db);
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
