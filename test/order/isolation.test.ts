import { randomUUID } from 'node:crypto';
import { LedgerIds } from '@lockstep/assets';
import { type AcceptedOrder, type Customer, MAX_INSTANCES_ON_ASSET } from '@lockstep/contract';
import { DrainFailed, drainLanes, freeLanes } from '@lockstep/orders/testing';
import { type Database, lostAgainstOthers, type Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dataOf } from '../harness/api.ts';
import { checkNumbers } from '../harness/databases/numbers.ts';
import { MemberCenter } from '../harness/members/member-center.ts';
import { firstLaneOf, newCustomersInLanes } from '../harness/orders/lanes.ts';
import { buyLargeAssets } from '../harness/orders/large-assets.ts';
import { batchOf, deleteAsset, newAssetNum, newBuy, productToBuy, type Sent } from '../harness/orders/orders.ts';
import { readRecords } from '../harness/orders/sync-batches.ts';
import { testStack } from '../harness/stack.ts';

/** Transactions that wait for others decide on what these have committed, and never on half of it (rules 6.2). */
const ids = new LedgerIds();

const { stack, api } = await testStack({ worker: false });
const [one, other] = (await newCustomersInLanes(api, 2)) as [Customer, Customer];
afterAll(async () => {
  expect(await checkNumbers(stack.db)).toEqual([]);
});

type Batch = ReturnType<typeof batchOf>;

async function lanesOf({ channelOrderId }: Batch): Promise<number[]> {
  const { rows } = await sql<{ lane: number }>`
    select lane from lane_chunk join batch on batch.id = batch_id
    where channel_order_id = ${channelOrderId} and finished_time is null order by lane`.execute(stack.db);
  return rows.map(({ lane }) => lane);
}

/** Applies orders in a transaction that stays open while `work` runs, which learns the ids of the orders. */
async function whileOpen(
  orders: Sent[],
  work: (applied: { trx: Trx; orderIds: string[] }) => Promise<() => Promise<void>>,
): Promise<void> {
  const batch = batchOf(...orders);
  const orderIds = (await api.accept(batch)).map(({ licenseOrderId }) => licenseOrderId);
  const lanes = [firstLaneOf(orders[0]!.customerId as Customer['customerId'])];
  const check = await stack.db.transaction().execute(async (trx) => {
    await drainLanes(trx as unknown as Database, freeLanes(lanes), ids);
    return await work({ trx, orderIds });
  });
  await check();
}

/** Waits until a transaction waits for this one. */
async function untilAwaited(trx: Trx): Promise<void> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx);
  const waiting = sql<{ is_awaited: boolean }>`
    select exists (select from pg_stat_activity where ${rows[0]!.pid} = any (pg_blocking_pids(pid))) as is_awaited`;
  await expect.poll(async () => (await waiting.execute(stack.db)).rows[0]!.is_awaited).toBe(true);
}

async function causesOf(accepted: readonly AcceptedOrder[]): Promise<(string | null)[]> {
  const orderIds = accepted.map(({ licenseOrderId }) => licenseOrderId);
  const query = stack.db.selectFrom('license_order').select('cause').where('id', 'in', orderIds).orderBy('id');
  const rows = await query.execute();
  return rows.map(({ cause }) => cause);
}

/** Drains lanes. A drain waits for a lock only briefly, so it is run again. */
async function drain(lanes: readonly number[]): Promise<void> {
  for (;;) {
    try {
      await drainLanes(stack.db, freeLanes(lanes), ids);
      return;
    } catch (error) {
      if (!(error instanceof DrainFailed) || !lostAgainstOthers(error.cause)) throw error;
    }
  }
}

/** The ways to apply orders. Each returns the causes of those that failed; a refused sync call returns only its own. */
const WAYS: Record<string, (...orders: Sent[]) => Promise<(string | null)[]>> = {
  async drain(...orders) {
    const batch = batchOf(...orders);
    const accepted = await api.accept(batch);
    await drain(await lanesOf(batch));
    return await causesOf(accepted);
  },
  async 'sync call'(...orders) {
    const { status, body } = await api.submit({ ...batchOf(...orders), syncMode: 'sync' });
    return status === 200 ? orders.map(() => null) : [body.cause];
  },
  async 'drain in parts'(...orders) {
    const batch = batchOf(...orders);
    const accepted = await api.accept(batch);
    const lanes = await lanesOf(batch);
    await sql`
      update lane set failures = 5, failing_since = now(), last_error = 'made to fail'
      where lane = any (${lanes})`.execute(stack.db);
    await drain(lanes);
    return await causesOf(accepted);
  },
};

const OWNED = 'asset_owned_by_other_customer';
const asTransfer = { transferedAssetNum: true };

describe.each(Object.keys(WAYS))('a %s that waited for a transaction', (way) => {
  it.each<[what: string, orders: (old: string, bought: string, orderId: string) => Sent[], causes: (string | null)[]]>([
    [
      'cannot buy a number that it bought',
      (_, bought) => [newBuy(other, [bought]), deleteAsset(other, [bought])],
      [OWNED, 'asset_not_found'],
    ],
    [
      'takes over and revokes an asset that it bought',
      (_, bought) => [newBuy(other, [bought], {}, asTransfer), deleteAsset(other, [bought])],
      [null, null],
    ],
    [
      'finds its order as a source',
      (_old, _bought, srcLicenseOrderId) => [newBuy(other, [newAssetNum()], { srcLicenseOrderId })],
      [null],
    ],
    [
      'finds its order as a source of a product',
      (_old, _bought, srcLicenseOrderId) => [
        newBuy(other, [newAssetNum()], {}, { products: [productToBuy({ srcLicenseOrderId })] }),
      ],
      [null],
    ],
  ])('%s', async (_, ordersOf, causes) => {
    const [old, bought] = [newAssetNum(), newAssetNum()];
    await api.carryOut(newBuy(one, [old]));
    await whileOpen([newBuy(one, [old]), newBuy(one, [bought])], async ({ trx, orderIds }) => {
      const [first, ...rest] = ordersOf(old, bought, orderIds[1]!);
      // The first order waits for the old asset, so that a transaction of one order waits too.
      const assets = [{ assetNos: [old], products: [], ...asTransfer }, ...(first!.assets as Sent[])];
      const deciding = WAYS[way]!({ ...first, assets }, ...rest);
      await untilAwaited(trx);
      return async () => {
        const expected = way === 'sync call' && causes[0] !== null ? [causes[0]] : causes;
        expect(await deciding).toEqual(expected);
        const isRevoked = rest.length > 0 && causes[0] === null;
        const owner = isRevoked ? other : one;
        expect(await readRecords(stack.db, bought)).toEqual([{ customerId: owner.customerId, active: !isRevoked }]);
      };
    });
  });

  it('that buys what it buys and revokes decides after it', async () => {
    const assetNum = newAssetNum();
    await whileOpen([newBuy(one, [assetNum])], async ({ trx }) => {
      const deciding = WAYS[way]!(newBuy(other, [assetNum]), deleteAsset(other, [assetNum]));
      await untilAwaited(trx);
      return async () => {
        expect((await deciding)[0]).toBe(OWNED);
        expect(await readRecords(stack.db, assetNum)).toEqual([{ customerId: one.customerId, active: true }]);
      };
    });
  });

  it('that buys for an asset counts what it bought for it', async () => {
    const products = MAX_INSTANCES_ON_ASSET - 2;
    const { large } = await buyLargeAssets({ db: stack.db, api }, one, 1, { products });
    await whileOpen([newBuy(one, large)], async ({ trx }) => {
      const deciding = WAYS[way]!(newBuy(other, large, {}, asTransfer));
      await untilAwaited(trx);
      return async () => expect(await deciding).toEqual(['asset_full']);
    });
  });

  it('of another channel with the same new terms does not wait', async () => {
    const elsewhere = await api.newCustomer(undefined, `channel ${randomUUID()}`);
    const products = [productToBuy({ productName: randomUUID() })];
    const [mine, theirs] = [
      newBuy(one, [newAssetNum()], {}, { products }),
      newBuy(elsewhere, [newAssetNum()], {}, { products }),
    ];
    await whileOpen([mine, deleteAsset(one, [newAssetNum()])], async () => {
      expect(await WAYS[way]!(theirs)).toEqual([null]);
      return async () => {};
    });
  });
});

it('channels drain their orders of one batch without waiting for each other', async () => {
  const elsewhere = await api.newCustomer(undefined, `channel ${randomUUID()}`);
  const [mine, theirs] = [newBuy(one, [newAssetNum()]), newBuy(elsewhere, [newAssetNum()])];
  const batch = batchOf(mine, theirs);
  await api.accept(batch);
  const [lane, theirLane] = await lanesOf(batch);
  await stack.db.transaction().execute(async (trx) => {
    await drainLanes(trx as unknown as Database, freeLanes([lane!]), ids);
    await drainLanes(stack.db, freeLanes([theirLane!]), ids);
  });
  expect(await lanesOf(batch)).toEqual([]);
});

it('statements that serve several callers wait for no row, even if a transaction holds all that there are', async () => {
  const caller = await stack.newApi();
  const [customer, another] = [await caller.newCustomer(), await caller.newCustomer()];
  const [before, sent] = [batchOf(newBuy(customer, [newAssetNum()])), batchOf(newBuy(customer, [newAssetNum()]))];
  const [order] = await caller.accept(before);
  await stack.db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ name: string }>`
      select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`.execute(trx);
    expect(rows.length).toBeGreaterThan(30);
    // Only a transaction that decides on orders of a lane locks its row.
    for (const { name } of rows.filter(({ name }) => name !== 'lane')) {
      await sql`select from ${sql.table(name)} for no key update`.execute(trx);
    }
    await caller.accept(sent);
    // A repeat, whose row is held.
    expect(await caller.accept(before)).toMatchObject([order!]);
    await caller.carryOut(newBuy(another, [newAssetNum()]));
    const { channelCode, channelOrderId } = before;
    const result = await caller.ask('getBatchResult', { query: { channelCode, channelOrderId } });
    expect(dataOf(result)).toMatchObject({ pending: 1 });
    for (const list of ['listBatches', 'listOrders', 'getEvents'] as const) dataOf(await caller.ask(list));
    expect(dataOf(await caller.call('GET', `/licenseOrder/${order!.licenseOrderId}`))).toMatchObject({
      state: 'pending',
    });
    await (await stack.newApi()).newCustomer();
  });
});

describe('a call that waited for several transactions', () => {
  let center: MemberCenter;
  beforeAll(async () => {
    center = await MemberCenter.open(stack);
  });

  it.each<[what: string, call: (assetNums: string[]) => Promise<unknown>, done: unknown]>([
    [
      'O6',
      async (assetNums) => {
        const body = { assetNums, operatorIdentity: 'Ada' };
        const results: { status: number }[] = dataOf(await api.call('POST', '/asset/lock', { body }));
        return results.map(({ status }) => status);
      },
      [1, 1, 1],
    ],
    [
      'M9',
      async (assetNums) => {
        const [kim] = await center.add();
        return (await center.configure(kim!.globalId, [], assetNums)).body.code;
      },
      0,
    ],
  ])('%s sees all of each', async (_, call, done) => {
    const { customer } = center;
    const [first, second, last] = [newAssetNum(), newAssetNum(), newAssetNum()].toSorted() as [string, string, string];
    await api.carryOut(newBuy(customer, [last]));
    let calling: Promise<unknown> | undefined;
    const extending = batchOf(newBuy(customer, [first]), newBuy(customer, [second]));
    await stack.db.transaction().execute(async (inner) => {
      await stack.db.transaction().execute(async (outer) => {
        await sql`select from asset where asset_num = ${last} for update`.execute(outer);
        calling = call([last, first, second]);
        await untilAwaited(outer);
        await api.carryOut(newBuy(customer, [first]));
        await api.accept(extending);
        await drainLanes(inner as unknown as Database, freeLanes(await lanesOf(extending)), ids);
      });
      await untilAwaited(inner);
    });
    expect(await calling).toEqual(done);
  });
});
