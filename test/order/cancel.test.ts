import { randomUUID } from 'node:crypto';
import { LedgerIds } from '@lockstep/assets';
import { BatchResult, buildMessage } from '@lockstep/contract';
import { drainLanes, freeLanes } from '@lockstep/orders/testing';
import { sql } from 'kysely';
import { afterAll, describe, expect, it } from 'vitest';
import { dataOf, refusalOf } from '../harness/api.ts';
import { checkNumbers } from '../harness/databases/numbers.ts';
import { contentOfTables } from '../harness/databases/tables.ts';
import { countWaitingForRows, untilReceived } from '../harness/databases/waiting.ts';
import { firstLaneOf, newCustomersInLanes } from '../harness/orders/lanes.ts';
import { batchOf, deleteAsset, merchandise, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { readResult, untilOneWaits, whileHeld } from '../harness/orders/sync-batches.ts';
import { QUEUE_KINDS, type Stack, testStack } from '../harness/stack.ts';

const CANCELLED = {
  state: 'failed',
  code: '13004',
  cause: 'cancelled',
  assets: 0,
  products: 0,
  message: buildMessage('cancelled'),
  args: [],
  assetNums: [],
  places: [],
};

/** Returns what each order put in the ledger: its grants, merchandise and products. */
async function readTraces(
  stack: Stack,
): Promise<Map<string, { grants: number; merchandises: number; products: number }>> {
  const { rows } = await sql<{ id: string; grants: number; merchandises: number; products: number }>`
    select license_order_id as id, count(*) filter (where kind = 'grant')::int as grants,
      count(*) filter (where kind = 'merchandise')::int as merchandises,
      count(*) filter (where kind = 'product')::int as products
    from (
      select license_order_id, 'grant' as kind from asset_grant
      union all select license_order_id, 'merchandise' from merchandise_instance
      union all select license_order_id, 'product' from product_instance
    ) as trace group by license_order_id`.execute(stack.db);
  return new Map(rows.map(({ id, ...traces }) => [id, traces]));
}

async function activeNumbers(stack: Stack): Promise<string[]> {
  const assets = await stack.db.selectFrom('asset').select('asset_num').where('revoked_time', 'is', null).execute();
  return assets.map((asset) => asset.asset_num).toSorted();
}

describe('cancelling pending orders of a batch, without a worker,', async () => {
  const { stack, api } = await testStack({ worker: false });
  afterAll(async () => {
    expect(await checkNumbers(stack.db)).toEqual([]);
  });

  /** Accepts a batch of three orders in different lanes. */
  async function acceptThree() {
    const customers = await newCustomersInLanes(api, 3);
    const batch = batchOf(...customers.map((customer) => newBuy(customer, [newAssetNum()])));
    return { batch, accepted: await api.accept(batch) };
  }

  it('fails them with cause cancelled', async () => {
    const customers = await newCustomersInLanes(api, 3);
    const earliest = Date.now();
    const batch = batchOf(
      newBuy(customers[0]!, [newAssetNum()], { sequence: 30 }, { merchandises: [merchandise()] }),
      deleteAsset(customers[1]!, [newAssetNum()], { sequence: 10 }),
      newBuy(customers[2]!, [newAssetNum()], { sequence: 20 }),
    );
    const accepted = await api.accept(batch);
    expect(await api.cancel(batch)).toEqual({ cancelled: 3, finished: 0 });
    const latest = Date.now();
    const result = await readResult(api, batch);
    expect(result).toMatchObject({ state: 'completed', total: 3, succeeded: 0, failed: 3, pending: 0 });
    expect(result.orders).toEqual(
      accepted.map((order, index) => ({
        ...order,
        ...CANCELLED,
        orderType: ['new_buy', 'delete_asset', 'new_buy'][index],
        finishedTime: expect.any(Number),
        heldSince: null,
      })),
    );
    for (const time of [...result.orders.map(({ finishedTime }) => finishedTime), result.completedTime]) {
      expect(time).toBeGreaterThanOrEqual(Math.max(result.acceptedTime, earliest - 1));
      expect(time).toBeLessThanOrEqual(latest + 1);
    }
    expect((await readResult(api, batch, { state: 'failed' })).orders).toEqual(result.orders);
    for (const state of ['pending', 'succeeded']) expect((await readResult(api, batch, { state })).orders).toEqual([]);
    const single = dataOf(await api.call('GET', `/licenseOrder/${accepted[1]!.licenseOrderId}`));
    expect(single).toEqual({ ...result.orders[1], channelCode: 'test', channelOrderId: batch.channelOrderId });
    expect(await readTraces(stack)).toEqual(new Map());
  });

  it('cancels them once: a second call finds nothing to cancel and changes nothing', async () => {
    const { batch } = await acceptThree();
    // The key may have blanks around it.
    const spaced = { channelCode: ` ${batch.channelCode}`, channelOrderId: `${batch.channelOrderId} ` };
    expect(await api.cancel(spaced)).toEqual({ cancelled: 3, finished: 0 });
    const [result, before] = [await readResult(api, batch), await contentOfTables(stack.db)];
    expect(await api.cancel(batch)).toEqual({ cancelled: 0, finished: 3 });
    expect(await contentOfTables(stack.db)).toEqual(before);
    expect(await readResult(api, batch)).toEqual(result);
  });

  it('keeps the key taken: the same content gets the same answer, and other content is refused', async () => {
    const { batch, accepted } = await acceptThree();
    await api.cancel(batch);
    const before = await contentOfTables(stack.db);
    expect(await api.accept(batch)).toEqual(accepted);
    const other = { ...batch, orderList: batch.orderList.slice(1) };
    expect(refusalOf(await api.submit(other))).toMatchObject({ cause: 'channel_order_id_conflict' });
    expect(await contentOfTables(stack.db)).toEqual(before);
    expect(await readResult(api, batch)).toMatchObject({ failed: 3, pending: 0 });
  });

  it('affects that batch alone: other orders of its lanes stay pending', async () => {
    const customer = await api.newCustomer();
    const batches = [1, 2, 3].map(() => batchOf(newBuy(customer, [newAssetNum()])));
    for (const batch of batches) await api.accept(batch);
    const sameId = { ...batches[1]!, channelCode: 'test2' };
    await api.accept(sameId);
    const other = await stack.newApi();
    await other.accept(batches[1]);
    expect(await api.cancel(batches[1]!)).toEqual({ cancelled: 1, finished: 0 });
    for (const batch of [batches[0]!, batches[2]!, sameId]) {
      expect(await readResult(api, batch)).toMatchObject({ state: 'accepted', pending: 1, failed: 0 });
    }
    expect(await readResult(other, batches[1]!)).toMatchObject({ state: 'accepted', pending: 1, failed: 0 });
  });

  it('keeps the outcomes of the orders that have one', async () => {
    const customers = await newCustomersInLanes(api, 4);
    const batch = batchOf(
      ...customers.flatMap((customer) => [
        newBuy(customer, [newAssetNum()], {}, { merchandises: [merchandise()] }),
        deleteAsset(customer, [newAssetNum()]),
        newBuy(customer, [newAssetNum()]),
      ]),
    );
    await api.accept(batch);
    const lanes = customers.slice(0, 3).map(({ customerId }) => firstLaneOf(customerId));
    await drainLanes(stack.db, freeLanes(lanes), new LedgerIds());
    const halfway = await readResult(api, batch);
    expect(halfway).toMatchObject({ state: 'processing', succeeded: 6, failed: 3, pending: 3, completedTime: null });
    const nothingYet = { code: null, cause: null, message: null, assets: 0, products: 0, finishedTime: null };
    for (const order of halfway.orders.slice(9)) expect(order).toMatchObject({ state: 'pending', ...nothingYet });
    expect((await readResult(api, batch, { state: 'pending' })).orders).toEqual(halfway.orders.slice(9));
    const last = dataOf(await api.call('GET', `/licenseOrder/${halfway.orders[11]!.licenseOrderId}`));
    expect(last).toMatchObject({ state: 'pending', ...nothingYet });

    expect(await api.cancel(batch)).toEqual({ cancelled: 3, finished: 9 });
    const result = await readResult(api, batch);
    expect(result).toMatchObject({ state: 'completed', total: 12, succeeded: 6, failed: 6, pending: 0 });
    expect(result.orders.slice(0, 9)).toEqual(halfway.orders.slice(0, 9));
    for (const order of result.orders.slice(9)) expect(order).toMatchObject(CANCELLED);
    expect((await readResult(api, batch, { state: 'failed' })).orders).toEqual(
      result.orders.filter(({ state }) => state === 'failed'),
    );
    const traces = await readTraces(stack);
    for (const { licenseOrderId, orderType, state } of result.orders) {
      expect(traces.has(licenseOrderId)).toBe(orderType === 'new_buy' && state === 'succeeded');
    }
    expect(await api.cancel(batch)).toEqual({ cancelled: 0, finished: 12 });
  });
});

describe('there is nothing to cancel', async () => {
  const { stack, api } = await testStack();

  it.each(['sync', 'async'] as const)('of a completed %s batch', async (syncMode) => {
    const customer = await api.newCustomer();
    const batch = { ...batchOf(newBuy(customer, [newAssetNum()]), newBuy(customer, [newAssetNum()])), syncMode };
    await api.accept(batch);
    const { channelCode, channelOrderId } = batch;
    const result = await api.completed(batch);
    expect(await api.cancel(batch)).toEqual({ cancelled: 0, finished: 2 });
    expect(await api.completed({ channelCode, channelOrderId })).toEqual(result);
    expect(result).toMatchObject({ succeeded: 2 });
  });

  it('of an unknown batch, or one of another channel or application', async () => {
    const other = await stack.newApi();
    const customer = await api.newCustomer();
    const batch = { ...batchOf(newBuy(customer, [newAssetNum()])), channelOrderId: `a${randomUUID()}` };
    await api.accept(batch);
    const unknown = { channelCode: 'test', channelOrderId: randomUUID() };
    for (const answer of [
      await api.submitCancel(unknown),
      await api.submitCancel({ ...batch, channelCode: 'test2' }),
      await api.submitCancel({ ...batch, channelOrderId: batch.channelOrderId.toUpperCase() }),
      await other.submitCancel(batch),
    ]) {
      expect(refusalOf(answer)).toMatchObject({ code: '13004', cause: 'batch_not_found' });
    }
    expect(refusalOf(await api.submitCancel(unknown)).message).toContain(unknown.channelOrderId);
    expect(await api.completed(batch)).toMatchObject({ succeeded: 1, failed: 0 });
  });
});

describe.each(QUEUE_KINDS)('on %s, when a worker starts after the cancel,', async (queue) => {
  const { stack, api } = await testStack({ queue, worker: false });

  it('calls that wait for the batch are answered, none of its orders takes effect, and all others do', async () => {
    const customers = await newCustomersInLanes(api, 3);
    const numbers = customers.map(() => ({ kept: newAssetNum(), cancelled: newAssetNum(), later: newAssetNum() }));
    const [before, cancelled, later] = [
      batchOf(...customers.map((customer, index) => newBuy(customer, [numbers[index]!.kept]))),
      batchOf(
        ...customers.flatMap((customer, index) => [
          newBuy(customer, [numbers[index]!.cancelled]),
          deleteAsset(customer, [numbers[index]!.kept]),
        ]),
      ),
      batchOf(
        ...customers.flatMap((customer, index) => [
          newBuy(customer, [numbers[index]!.later]),
          // Succeeds only if the purchase before it was not cancelled.
          deleteAsset(customer, [numbers[index]!.cancelled]),
        ]),
      ),
    ] as const;
    for (const batch of [before, cancelled, later]) await api.accept(batch);

    const nonce = randomUUID();
    const { channelCode, channelOrderId } = cancelled;
    const query = { channelCode, channelOrderId, waitSeconds: '30' };
    const waiting = api.call('GET', '/licenseOrder/batchOrder', { query, nonce });
    await untilReceived(stack.db, nonce);
    expect(await api.cancel(cancelled)).toEqual({ cancelled: 6, finished: 0 });
    expect(BatchResult.parse(dataOf(await waiting))).toMatchObject({ state: 'completed', failed: 6, pending: 0 });
    const result = await readResult(api, cancelled);

    await stack.startWorker();
    expect(await api.completed(before)).toMatchObject({ succeeded: 3 });
    expect((await api.completed(later)).orders.map(({ cause }) => cause)).toEqual(
      customers.flatMap(() => [null, 'asset_not_found']),
    );
    expect(await readResult(api, cancelled)).toEqual(result);
    expect(await activeNumbers(stack)).toEqual(numbers.flatMap(({ kept, later }) => [kept, later]).toSorted());
    const metrics = await stack.metrics.registry.metrics();
    expect(metrics).toContain('lockstep_orders_applied_total{outcome="cancelled"} 6\n');
    expect(metrics).toContain('lockstep_orders_applied_total{outcome="failed"} 3\n');
  });

  it('a cancel waits for the running drain, so that its orders are applied completely', async () => {
    const customer = await api.newCustomer();
    const newNum = newAssetNum();
    const batch = batchOf(newBuy(customer, [newNum]), newBuy(customer, [newAssetNum()]));
    const work = async () => {
      await api.accept(batch);
      await untilOneWaits(stack.db);
      const answer = api.cancel(batch);
      answer.catch(() => {});
      await expect.poll(() => countWaitingForRows(stack.db)).toBe(1);
      return { answer };
    };
    const cancelling = await whileHeld(stack.db, 'insert', work, { table: 'asset' });
    expect(await cancelling.answer).toEqual({ cancelled: 0, finished: 2 });
    expect(await api.completed(batch)).toMatchObject({ state: 'completed', succeeded: 2, failed: 0 });
    expect(await activeNumbers(stack)).toContain(newNum);
  });
});
