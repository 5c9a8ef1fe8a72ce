import { buildMessage, type Customer } from '@lockstep/contract';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { type Answer, Api, dataOf, refusalOf } from '../../harness/api.ts';
import { contentOfTables } from '../../harness/databases/tables.ts';
import { newCustomersInLanes, newNeighborInLane } from '../../harness/orders/lanes.ts';
import {
  batchOf,
  deleteAsset,
  deleteProduct,
  merchandise,
  newAssetNum,
  newBuy,
  productToBuy,
  type Sent,
  SUCCEEDED,
} from '../../harness/orders/orders.ts';
import {
  countRows,
  expectSumsRight,
  readRecords,
  readResult,
  syncOf,
  untilOneWaits,
  whileHeld,
} from '../../harness/orders/sync-batches.ts';
import { startAnotherApi } from '../../harness/processes/another-api.ts';
import { QUEUE_KINDS, testStack, untilTestsEnd } from '../../harness/stack.ts';

async function expectNotStored(api: Api, { channelCode, channelOrderId }: ReturnType<typeof syncOf>): Promise<void> {
  const answer = await api.call('GET', '/licenseOrder/batchOrder', { query: { channelCode, channelOrderId } });
  expect(refusalOf(answer)).toMatchObject({ cause: 'batch_not_found' });
}

/** Counts calls by cause. Successful calls count as `succeeded`. */
function countCauses(answers: Answer[]): Record<string, number> {
  const ends = Map.groupBy(answers, (answer) => (answer.status === 200 ? 'succeeded' : refusalOf(answer).cause));
  return Object.fromEntries([...ends].map(([end, answers]) => [end, answers.length]));
}

/** The message's start, up to the detail that the service adds. */
const notFound = (assetNum: string) =>
  buildMessage('asset_not_found', assetNum, '', 'assets[0].assetNos[0]').slice(0, -1);
const taken = (...args: string[]) => buildMessage('asset_owned_by_other_customer', ...args);

/** Returns the counts and sequences that the message of a failed sync batch names. */
function ordersNamedIn(message: string) {
  const [failed, total] = message.match(/\d+/g)!.map(Number);
  return { failed, total, sequences: [...message.matchAll(/\(sequence (\d+)\)/g)].map(([, number]) => Number(number)) };
}

describe('a sync call, without any worker,', async () => {
  const { stack, api } = await testStack({ worker: false });

  it('has taken effect when it is answered, in orderList order', async () => {
    const [first, second] = (await newCustomersInLanes(api, 2)) as [Customer, Customer];
    const [assetNum, otherNum] = [newAssetNum(), newAssetNum()];
    const earliest = Date.now();
    const batch = syncOf(
      deleteProduct(first, [assetNum], {}, { sequence: 30 }),
      newBuy(second, [otherNum, newAssetNum()], { sequence: 20 }, { merchandises: [merchandise()] }),
      newBuy(first, [assetNum], { sequence: 10 }),
    );
    const accepted = dataOf(await api.submit(batch));
    const latest = Date.now();
    expect(accepted).toEqual(
      [30, 20, 10].map((sequence, index) => ({
        sequence,
        licenseOrderId: expect.stringMatching(/^\d{1,19}$/),
        customerId: [first, second, first][index]!.customerId,
      })),
    );
    const result = await readResult(api, batch);
    const { acceptedTime, completedTime } = result;
    const done = { ...SUCCEEDED, finishedTime: expect.any(Number), heldSince: null };
    expect(result).toEqual({
      channelCode: batch.channelCode,
      channelOrderId: batch.channelOrderId,
      syncMode: 'sync',
      state: 'completed',
      total: 3,
      succeeded: 3,
      failed: 0,
      pending: 0,
      held: 0,
      acceptedTime,
      completedTime,
      nextCursor: null,
      estimatedCompletionTime: null,
      orders: [
        { ...accepted[0], ...done, orderType: 'delete_product', assets: 0, products: 1 },
        { ...accepted[1], ...done, orderType: 'new_buy', assets: 2, products: 4 },
        { ...accepted[2], ...done, orderType: 'new_buy', assets: 1, products: 1 },
      ],
    });
    const times = [acceptedTime, ...result.orders.map(({ finishedTime }) => finishedTime!), completedTime!];
    expect(Math.min(...times)).toBe(acceptedTime);
    expect(Math.max(...times)).toBe(completedTime);
    expect(acceptedTime).toBeGreaterThanOrEqual(earliest - 1);
    expect(completedTime).toBeLessThanOrEqual(latest + 1);
    const single = dataOf(await api.call('GET', `/licenseOrder/${accepted[0].licenseOrderId}`));
    expect(single).toEqual({ ...result.orders[0], channelCode: 'test', channelOrderId: batch.channelOrderId });
    expect(await readRecords(stack.db, assetNum)).toEqual([{ customerId: first.customerId, active: true }]);
    expect(await readRecords(stack.db, otherNum)).toEqual([{ customerId: second.customerId, active: true }]);
  });

  describe('with failing orders', () => {
    it('stores nothing, and names every failed order, with the cause of the first in sequence order', async () => {
      const [customer, other] = (await newCustomersInLanes(api, 2)) as [Customer, Customer];
      const [assetNum, unknownNum] = [newAssetNum(), newAssetNum()];
      await api.accept(syncOf(newBuy(customer, [assetNum])));
      const batch = syncOf(
        deleteAsset(customer, [unknownNum], { sequence: 50 }),
        newBuy(customer, [assetNum, newAssetNum()], { sequence: 10 }),
        newBuy(other, [newAssetNum(), assetNum], { sequence: 30 }),
        newBuy(other, [newAssetNum()], { sequence: 20 }),
        deleteAsset(customer, [assetNum], { sequence: 40 }),
      );
      const before = await contentOfTables(stack.db);
      const answer = await api.submit(batch);
      const { message, ...refusal } = refusalOf(answer);
      expect({ code: refusal.code, cause: refusal.cause }).toEqual({
        code: '13004',
        cause: 'asset_owned_by_other_customer',
      });
      expect(ordersNamedIn(message)).toEqual({ failed: 2, total: 5, sequences: [30, 50] });
      expect(message).toContain(`orderList[2] (sequence 30): ${taken(assetNum, 'assets[0].assetNos[1]')}`);
      expect(message).toContain(`orderList[0] (sequence 50): ${notFound(unknownNum)}`);
      expect(answer.headers.get('location')).toBeNull();
      expect(await contentOfTables(stack.db)).toEqual(before);
      await expectNotStored(api, batch);
    });

    it('leaves the channelOrderId free for other content, and for the same content once it can succeed', async () => {
      const customer = await api.newCustomer();
      const [assetNum, otherNum] = [newAssetNum(), newAssetNum()];
      const [one, other] = [syncOf(deleteAsset(customer, [assetNum])), syncOf(deleteAsset(customer, [otherNum]))];
      for (const batch of [one, other]) {
        expect(countCauses([await api.submit(batch), await api.submit(batch)])).toEqual({ asset_not_found: 2 });
      }
      const [order] = await api.accept({ ...one, orderList: [newBuy(customer, [assetNum, otherNum])] });
      expect(await readResult(api, one)).toMatchObject({ succeeded: 1, orders: [order] });
      expect(countCauses([await api.submit(one)])).toEqual({ channel_order_id_conflict: 1 });
      await api.accept(other);
      expect((await readRecords(stack.db, otherNum)).map(({ active }) => active)).toEqual([false]);
      const failing = syncOf(deleteAsset(customer, [newAssetNum()]));
      expect(countCauses([await api.submit(failing)])).toEqual({ asset_not_found: 1 });
      await api.accept({ ...failing, syncMode: 'async' });
      expect(await readResult(api, failing)).toMatchObject({ syncMode: 'async', pending: 1 });
    });

    it('leaves the async orders before it as they were accepted', async () => {
      const customer = await api.newCustomer();
      const [assetNum, unknownNum] = [newAssetNum(), newAssetNum()];
      const batch = batchOf(newBuy(customer, [assetNum]));
      const accepted = await api.accept(batch);
      expect(countCauses([await api.submit(syncOf(deleteAsset(customer, [unknownNum])))])).toEqual({
        asset_not_found: 1,
      });
      await api.accept(syncOf(deleteAsset(customer, [assetNum])));
      expect(await readResult(api, batch)).toMatchObject({ total: 1, succeeded: 1, orders: accepted });
    });

    it.each([
      [20, 0],
      [21, 1],
      [37, 17],
    ])('names at most 20 of them: of %i', async (count, more) => {
      const customer = await api.newCustomer();
      const failing = Array.from({ length: count }, (_, index) =>
        deleteAsset(customer, [newAssetNum()], { sequence: 1_000 - index }),
      );
      const batch = syncOf(newBuy(customer, [newAssetNum()], { sequence: 1 }), ...failing);
      const { message } = refusalOf(await api.submit(batch));
      const sequences = Array.from({ length: 20 }, (_, index) => 1_001 - count + index);
      expect(ordersNamedIn(message)).toEqual({ failed: count, total: count + 1, sequences });
      const [, afterLast] = message.split(notFound(assetNumIn(failing.at(-20)!)));
      expect(Number(afterLast!.match(/\d+/)?.[0] ?? 0)).toBe(more);
    });

    const assetNumIn = (order: Sent) => (order.assets as { assetNos: string[] }[])[0]!.assetNos[0]!;
  });

  it.each([
    ['sync', 'async'],
    ['async', 'sync'],
  ] as const)(
    'under a used key counts as other content if the modes differ: first %s, then %s',
    async (first, second) => {
      const customer = await api.newCustomer();
      const batch = syncOf(newBuy(customer, [newAssetNum()]));
      const accepted = await api.accept({ ...batch, syncMode: first });
      const refusal = refusalOf(await api.submit({ ...batch, syncMode: second }));
      expect(refusal.cause).toBe('channel_order_id_conflict');
      expect(await readResult(api, batch)).toMatchObject({ syncMode: first, total: 1, failed: 0 });
      expect(await api.accept({ ...batch, syncMode: first })).toEqual(accepted);
    },
  );
});

describe('concurrent sync calls, over two APIs', async () => {
  const { stack, api } = await testStack({ worker: false });
  const second = await untilTestsEnd(startAnotherApi(stack, api));

  /** Sends all batches at once, alternating between two APIs. */
  const submitAll = (batches: unknown[]) =>
    Promise.all(batches.map((batch, index) => (index % 2 === 0 ? api : second.api).submit(batch)));

  it.each([
    ['sync', 'sync'],
    ['sync', 'async'],
    ['async', 'sync'],
  ] as const)(
    'under a key that another call is storing, %s after %s, wait alone: other calls are answered meanwhile',
    async (mode, firstMode) => {
      const [customer, other, free] = (await newCustomersInLanes(api, 3)) as [Customer, Customer, Customer];
      const neighbor = await stack.newApi();
      const elsewhere = await neighbor.newCustomer(undefined, 'elsewhere');
      const first = { ...syncOf(newBuy(customer, [newAssetNum()])), syncMode: firstMode };
      const later = { ...first, syncMode: mode, orderList: [newBuy(other, [newAssetNum()])] };
      const work = async () => {
        const answering = api.submit(first);
        await untilOneWaits(stack.db);
        const before = await countRows(stack.db, 'nonce');
        const waiting = [api, second.api].flatMap((caller) =>
          [first, later, later].map((batch) => caller.submit(batch)),
        );
        await expect.poll(() => countRows(stack.db, 'nonce')).toBe(before + waiting.length);
        for (const caller of [neighbor, api, new Api(second.api.baseUrl, neighbor.credentials, neighbor.token)]) {
          await caller.accept(batchOf(newBuy(elsewhere, [newAssetNum()])));
          await caller.accept(syncOf(newBuy(free, [newAssetNum()])));
        }
        return [answering, ...waiting];
      };
      const answers = await whileHeld(stack.db, 'commit', work, { channelOrderId: first.channelOrderId });
      const answered = await Promise.all(answers);
      expect(countCauses(answered)).toEqual({ succeeded: 3, channel_order_id_conflict: 4 });
      const orders = dataOf(answered[0]!);
      expect(answered.flatMap(({ body }) => (body.code === 0 ? [body.data] : []))).toEqual([orders, orders, orders]);
      expect(await readResult(api, first)).toMatchObject({ syncMode: firstMode, total: 1, orders });
    },
  );

  it('of one customer and number take effect once each, in the order of their IDs', async () => {
    const customer = await api.newCustomer();
    const assetNum = newAssetNum();
    const batches = Array.from({ length: 60 }, (_, index) =>
      syncOf((index % 4 < 2 ? newBuy : deleteAsset)(customer, [assetNum])),
    );
    const answers = await submitAll(batches);
    const { succeeded = 0, asset_not_found: refused = 0 } = countCauses(answers);
    expect(succeeded + refused).toBe(60);
    const accepted = answers.filter(({ status }) => status === 200).flatMap(dataOf);
    const { rows } = await sql<{ id: string; order_type: string }>`
      select id, order_type from license_order
      where customer_id = ${customer.customerId} order by id`.execute(stack.db);
    expect(rows.map(({ id }) => id).toSorted()).toEqual(accepted.map((order) => order.licenseOrderId).toSorted());
    // A purchase adds to the active asset, or creates a new one after a revocation. A revocation needs an active asset.
    const records: boolean[] = [];
    for (const { order_type } of rows) {
      if (order_type === 'new_buy' && records.at(-1) !== true) records.push(true);
      else if (order_type === 'delete_asset') expect(records.splice(-1, 1, false)).toEqual([true]);
    }
    // The records' IDs aren't in order, because each API reserves some in advance.
    const stored = (await readRecords(stack.db, assetNum)).map(({ active }) => active);
    expect(stored.toSorted()).toEqual(records.toSorted());
  });

  it('and async calls under the same keys: one of each pair wins, and the other is refused', async () => {
    const customers = await newCustomersInLanes(api, 4);
    const pairs = Array.from({ length: 40 }, (_, index) => {
      const batch = syncOf(newBuy(customers[index % 4]!, [newAssetNum()]));
      return { sync: batch, async: { ...batch, syncMode: 'async' } };
    });
    const [syncAnswers, asyncAnswers] = await Promise.all([
      Promise.all(pairs.map(({ sync }) => api.submit(sync))),
      Promise.all(pairs.toReversed().map((pair) => second.api.submit(pair.async))),
    ]);
    for (const [index, { sync }] of pairs.entries()) {
      const [first, other] = [syncAnswers[index]!, asyncAnswers.toReversed()[index]!];
      expect(countCauses([first, other])).toEqual({ succeeded: 1, channel_order_id_conflict: 1 });
      const [winner, syncMode] = first.status === 200 ? [first, 'sync'] : [other, 'async'];
      expect(await readResult(api, sync)).toMatchObject({ syncMode, total: 1, orders: dataOf(winner) });
    }
  });
});

describe('a sync call that PostgreSQL refuses', () => {
  it('is answered with code 500 and stores nothing, and the calls beside it succeed', async () => {
    const { stack, api } = await testStack({ worker: false });
    await sql`alter table product_terms add check (product_uri <> 'refused')`.execute(stack.db);
    const customers = await newCustomersInLanes(api, 3);
    const refused = { products: [productToBuy(), productToBuy({ productUri: 'refused' })] };
    const batches = Array.from({ length: 20 }, (_, index) =>
      syncOf(
        newBuy(customers[index % 3]!, [newAssetNum()]),
        newBuy(customers[(index + 1) % 3]!, [newAssetNum()], {}, index === 13 ? refused : {}),
      ),
    );
    const answers = await Promise.all(batches.map((batch) => api.submit(batch)));
    const refusal = refusalOf(answers[13]!);
    expect(refusal).toMatchObject({ code: '500', cause: 'internal_error' });
    expect(refusal.message).not.toMatch(/refused|product|check/);
    expect(countCauses(answers.toSpliced(13, 1))).toEqual({ succeeded: 19 });
    await expectNotStored(api, batches[13]!);
    expect([await countRows(stack.db, 'batch'), await countRows(stack.db, 'asset')]).toEqual([19, 38]);
    await expectSumsRight(stack.db);
    // The key is free and the lanes still work.
    const { channelOrderId } = batches[13]!;
    await api.accept({ ...syncOf(...customers.map((each) => newBuy(each, [newAssetNum()]))), channelOrderId });
  });
});

describe.each(QUEUE_KINDS)('sync and async calls on %s', (queue) => {
  it('take effect in acceptance order, even if no worker runs at first', async () => {
    const { stack, api } = await testStack({ queue, worker: false });
    const [customer, other, third] = (await newCustomersInLanes(api, 3)) as [Customer, Customer, Customer];
    const [assetNum, otherNum] = [newAssetNum(), newAssetNum()];
    const transfer = (to: Customer) => newBuy(to, [assetNum], {}, { transferedAssetNum: true });
    const first = batchOf(newBuy(customer, [assetNum]), newBuy(customer, [otherNum]), deleteAsset(other, ['8-never']));
    const [bought] = await api.accept(first);
    const revocation = batchOf(deleteAsset(customer, [otherNum]));
    await api.accept(revocation);
    // The call sees the effects of both, and names the ID of an order that was still pending.
    const source = { srcLicenseOrderId: bought!.licenseOrderId };
    const sync = syncOf(newBuy(customer, [otherNum], source), transfer(other), deleteAsset(other, [assetNum]));
    await api.accept(sync);
    expect(await readResult(api, first)).toMatchObject({ state: 'completed', succeeded: 2, failed: 1 });
    expect(await readResult(api, revocation)).toMatchObject({ state: 'completed', succeeded: 1 });
    expect((await readResult(api, sync)).orders.map(({ assets }) => assets)).toEqual([1, 0, 1]);

    const later = [batchOf(newBuy(third, [assetNum])), batchOf(deleteAsset(customer, [otherNum]))];
    for (const batch of later) await api.accept(batch);
    await stack.startWorker();
    for (const batch of later) expect(await api.completed(batch)).toMatchObject({ succeeded: 1 });
    expect(await readRecords(stack.db, assetNum)).toEqual([
      { customerId: other.customerId, active: false },
      { customerId: third.customerId, active: true },
    ]);
    await api.accept(syncOf(transfer(customer), deleteAsset(customer, [assetNum])));
    expect((await readRecords(stack.db, otherNum)).map(({ active }) => active)).toEqual([false, false]);
    await expectSumsRight(stack.db);
  });
});

describe('a sync call before which another customer of its lane has orders', () => {
  it('does not delay these if an order of its own can’t be applied, however often it is repeated', async () => {
    const { stack, api } = await testStack({ worker: false });
    await sql`alter table product_terms add check (product_uri <> 'refused')`.execute(stack.db);
    const customer = await api.newCustomer();
    const neighbor = await newNeighborInLane(api, customer);
    const refused = { products: [productToBuy({ productUri: 'refused' })] };
    await api.accept(batchOf(newBuy(customer, [newAssetNum()], {}, refused), newBuy(neighbor, [newAssetNum()])));
    for (let times = 0; times < 3; times++) {
      expect(countCauses([await api.submit(syncOf(newBuy(customer, [newAssetNum()])))])).toEqual({
        service_unavailable: 1,
      });
    }
    const { rows } = await sql`
      select from lane where failures > 0 or next_try > now() or turn > now()`.execute(stack.db);
    expect(rows).toEqual([]);
  });

  it('applies the earlier orders of its own customers only', async () => {
    const { stack, api } = await testStack({ worker: false });
    const customer = await api.newCustomer();
    const neighbor = await newNeighborInLane(api, customer);
    const [own, theirs, theirLater] = [newAssetNum(), newAssetNum(), newAssetNum()];
    const batch = batchOf(newBuy(neighbor, [theirs]), newBuy(customer, [own]), newBuy(neighbor, [theirLater]));
    await api.accept(batch);
    await api.accept(syncOf(deleteAsset(customer, [own])));
    const between = await readResult(api, batch);
    expect(between).toMatchObject({ state: 'processing', succeeded: 1, pending: 2 });
    expect(between.orders.map(({ state }) => state)).toEqual(['pending', 'succeeded', 'pending']);
    // What is left is found again, by a call of the other customer.
    await api.accept(syncOf(deleteAsset(neighbor, [theirs, theirLater])));
    expect(await readResult(api, batch)).toMatchObject({ state: 'completed', succeeded: 3 });
    await expectSumsRight(stack.db);
  });
});

describe('thousands of pending async orders', () => {
  it('take effect before a sync call that builds on the last of them', async () => {
    const { stack, api } = await testStack({ worker: false });
    const customers = await newCustomersInLanes(api, 4);
    const last = newAssetNum();
    const batches = [0, 1, 2].map(() =>
      batchOf(...Array.from({ length: 2_000 }, (_, index) => newBuy(customers[index % 4]!, [newAssetNum()]))),
    );
    batches.push(batchOf(newBuy(customers[2]!, [last])));
    for (const batch of batches) await api.accept(batch);
    const sync = syncOf(deleteAsset(customers[2]!, [last]), ...customers.map((each) => newBuy(each, [newAssetNum()])));
    await api.accept(sync);
    expect(await readResult(api, sync)).toMatchObject({ state: 'completed', succeeded: 5 });
    for (const batch of batches) expect(await readResult(api, batch)).toMatchObject({ pending: 0, failed: 0 });
    await expectSumsRight(stack.db);
  });
});
