import type { Customer } from '@lockstep/contract';
import { Redis } from 'ioredis';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startAnotherApi } from '../harness/another-api.ts';
import type { Api } from '../harness/api.ts';
import { newCustomersInLanes } from '../harness/lanes.ts';
import { acceptAll, buyAndDelete, countOutcomes, readGrants, waitForResults } from '../harness/order-stories.ts';
import { batchOf, deleteAsset, newAssetNum, newBuy } from '../harness/orders.ts';
import { freePort } from '../harness/redis.ts';
import { QUEUE_KINDS, type Stack, startStack } from '../harness/stack.ts';
import { acceptUnchecked, refusedByPostgres } from '../harness/unchecked.ts';

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
      expect(countOutcomes(await waitForResults(api, batches))).toEqual({ succeeded: 20 });
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
      expect(countOutcomes(await waitForResults(api, batches))).toEqual({ succeeded: 6 });
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
      await vi.waitUntil(() => loseAllJobs(stack), { timeout: 30_000 });
      await stack.startWorker();
      expect(countOutcomes(await waitForResults(api, [batch]))).toEqual({ succeeded: 1 });
    } finally {
      await stack.close();
    }
  });
});

/** Deletes everything that the queue keeps. Returns how much that was. */
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
    return await waitForResults(api, [batch]);
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
    expect(await readGrants(stack, refusedNum)).toEqual([]);
    expect(await readGrants(stack, assetNum)).toMatchObject([{ active: false }]);
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
    expect(countOutcomes(await waitForResults(api, batches))).toEqual({ succeeded: 240, internal_error: 16 });
    expect(
      countOutcomes(await api.process(batchOf(...customers.map((each) => newBuy(each, [newAssetNum()]))))),
    ).toEqual({
      succeeded: 4,
    });
  });
});
