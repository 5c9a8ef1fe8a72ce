import type { Customer, OrderResult } from '@lockstep/contract';
import { createLogger } from '@lockstep/platform';
import { Redis } from 'ioredis';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { LANE_COUNT } from '../../packages/orders/src/lanes.ts';
import { startAnotherApi } from '../harness/another-api.ts';
import type { Api } from '../harness/api.ts';
import { newCustomersInLanes } from '../harness/lanes.ts';
import { batchOf, deleteAsset, newAssetNum, newBuy, type Sent } from '../harness/orders.ts';
import { freePort } from '../harness/redis.ts';
import { QUEUE_KINDS, type Stack, startStack } from '../harness/stack.ts';
import { acceptUnchecked, refusedByPostgres } from '../harness/unchecked.ts';

const _ALL_LANES = Array.from({ length: LANE_COUNT }, (_, lane) => lane);
const _silent = createLogger({ name: 'test', level: 'silent' });

/** Buys the number and takes it back, `count` orders in turn: each succeeds only right after the one before it. */
function buyAndDelete(customer: Customer, assetNum: string, count: number): Sent[] {
  return Array.from({ length: count }, (_, index) =>
    index % 2 === 0 ? newBuy(customer, [assetNum]) : deleteAsset(customer, [assetNum]),
  );
}

/** Accepts one batch after the other without waiting for what becomes of them, over the APIs in turn. */
async function acceptAll(apis: Api[], batches: ReturnType<typeof batchOf>[]): Promise<void> {
  for (const [index, batch] of batches.entries()) await apis[index % apis.length]!.accept(batch);
}

/** What became of all orders of some batches, once they are completed. */
async function resultsOf(api: Api, batches: ReturnType<typeof batchOf>[]): Promise<OrderResult[]> {
  const results = await Promise.all(batches.map((batch) => api.completed(batch)));
  return results.flatMap(({ orders }) => orders);
}

/** How the orders ended: the causes, the state where there is none, and how many of each. */
function endsOf(orders: OrderResult[]): Record<string, number> {
  const ends = Map.groupBy(orders, ({ cause, state }) => cause ?? state);
  return Object.fromEntries([...ends].map(([end, orders]) => [end, orders.length]));
}

/** The orders that granted to the assets of a number, oldest first, and whether the asset is active. */
async function assetsOf(stack: Stack, assetNum: string) {
  return await stack.db
    .selectFrom('asset')
    .innerJoin('asset_grant', 'asset_grant.asset_id', 'asset.id')
    .select(['license_order_id', sql<boolean>`asset.revoked_time is null`.as('active')])
    .where('asset_num', '=', assetNum)
    .orderBy('license_order_id')
    .execute();
}

describe.concurrent.each(QUEUE_KINDS)('what no job asks for, on %s,', (queue) => {
  it('is found when the queue cannot be reached at acceptance', async () => {
    const stack = await startStack({ queue });
    const unreachable = { kind: 'redis', url: `redis://127.0.0.1:${await freePort()}` } as const;
    const cutOff = await startAnotherApi(stack, await stack.newApi(), { queue: unreachable });
    try {
      const { api } = cutOff;
      const customer = await api.newCustomer();
      const batches = buyAndDelete(customer, newAssetNum(), 20).map((order) => batchOf(order));
      await acceptAll([api], batches);
      expect(endsOf(await resultsOf(api, batches))).toEqual({ succeeded: 20 });
    } finally {
      await cutOff.close();
      await stack.close();
    }
  });

  it('is found when all jobs are lost', async () => {
    const stack = await startStack({ queue, worker: false });
    const api = await stack.newApi();
    const other = await startAnotherApi(stack, api);
    try {
      const customers = await newCustomersInLanes(api, 3);
      const batches = [0, 1].map(() => batchOf(...customers.map((customer) => newBuy(customer, [newAssetNum()]))));
      await acceptAll([other.api], batches);
      // By the time that an API has stopped, it has queued its jobs.
      await other.close();
      expect(await loseAllJobs(stack)).toBeGreaterThan(0);
      await stack.startWorker();
      expect(endsOf(await resultsOf(api, batches))).toEqual({ succeeded: 6 });
    } finally {
      await stack.close();
    }
  });
});

describe('an order that was accepted while the clock was wrong', () => {
  it.each(['ahead', 'behind'])('by an hour, %s, is found when its job is lost', async (way) => {
    const stack = await startStack({ worker: false });
    try {
      const api = await stack.newApi();
      const batch = batchOf(newBuy(await api.newCustomer(), [newAssetNum()]));
      await api.accept(batch);
      const hour = way === 'ahead' ? '1 hour' : '-1 hour';
      await sql`update lane_chunk set accepted_time = accepted_time + ${hour}::interval`.execute(stack.db);
      await vi.waitUntil(() => loseAllJobs(stack));
      await stack.startWorker();
      expect(endsOf(await resultsOf(api, [batch]))).toEqual({ succeeded: 1 });
    } finally {
      await stack.close();
    }
  });
});

/** Takes everything away that the queue keeps; answers how much that was. */
async function loseAllJobs({ db, queue }: Stack): Promise<number> {
  if (queue.kind === 'postgres') {
    const { numAffectedRows } = await sql`delete from bullmq.job`.execute(db);
    return Number(numAffectedRows);
  }
  const redis = new Redis(queue.url);
  const keys = await redis.keys(`${queue.prefix}:*`);
  const lost = await redis.del(...keys);
  redis.disconnect();
  return lost;
}

describe.each(QUEUE_KINDS)('an order that PostgreSQL refuses, on %s,', (queue) => {
  let stack: Stack;
  let api: Api;

  beforeAll(async () => {
    stack = await startStack({ queue });
    api = await stack.newApi();
  });
  afterAll(() => stack.close());

  /** What became of a batch that was accepted without being checked. */
  const processed = async (batch: ReturnType<typeof batchOf>) => {
    await acceptUnchecked(stack, api, batch);
    return await resultsOf(api, [batch]);
  };

  it('fails alone, and says nothing of the inside', async () => {
    const [customer, other] = (await newCustomersInLanes(api, 2)) as [Customer, Customer];
    const [assetNum, refusedNum, otherNum] = [newAssetNum(), newAssetNum(), newAssetNum()];
    const orders = await processed(
      batchOf(
        newBuy(customer, [assetNum]),
        refusedByPostgres(customer, [assetNum, refusedNum]),
        deleteAsset(customer, [refusedNum]),
        newBuy(other, [otherNum]),
        deleteAsset(customer, [assetNum]),
      ),
    );
    expect(orders).toMatchObject([
      { state: 'succeeded', code: null },
      { state: 'failed', code: '500', cause: 'internal_error', assets: 0, products: 0 },
      { state: 'failed', code: '13004', cause: 'asset_not_found' },
      { state: 'succeeded' },
      { state: 'succeeded', assets: 1, products: 1 },
    ]);
    expect(orders[1]!.message).toBe('The order could not be applied because of a fault in the service.');
    expect(await assetsOf(stack, refusedNum)).toEqual([]);
    expect(await assetsOf(stack, assetNum)).toMatchObject([{ active: false }]);
  });

  it('is no succeeded order that later ones could name', async () => {
    const customer = await api.newCustomer();
    const assetNum = newAssetNum();
    const [failed] = await processed(batchOf(refusedByPostgres(customer, [assetNum])));
    const { licenseOrderId: srcLicenseOrderId } = failed!;
    const orders = await api.process(batchOf(newBuy(customer, [assetNum], { srcLicenseOrderId })));
    expect(orders).toMatchObject([{ cause: 'source_order_not_found' }]);
  });

  it('stops neither its batch, its lane nor the batches after it', async () => {
    const customers = await newCustomersInLanes(api, 4);
    // In each batch 30 orders of each customer that must keep their order, and two that are refused among them.
    const batches = [0, 1].map(() =>
      batchOf(
        ...customers.flatMap((customer) => {
          const orders = buyAndDelete(customer, newAssetNum(), 30);
          return [
            ...orders.slice(0, 15),
            refusedByPostgres(customer, [newAssetNum()]),
            ...orders.slice(15),
            refusedByPostgres(customer, [newAssetNum()]),
          ];
        }),
      ),
    );
    for (const batch of batches) await acceptUnchecked(stack, api, batch);
    expect(endsOf(await resultsOf(api, batches))).toEqual({ succeeded: 240, internal_error: 16 });
    expect(endsOf(await api.process(batchOf(...customers.map((each) => newBuy(each, [newAssetNum()])))))).toEqual({
      succeeded: 4,
    });
  });
});
