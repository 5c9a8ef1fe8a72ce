import type { AcceptedOrder, Customer } from '@lockstep/contract';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, dataOf } from '../harness/api.ts';
import { type KilledProcesses, startKilledProcesses } from '../harness/killed-processes.ts';
import { checkNumbers } from '../harness/numbers.ts';
import { batchOf, deleteAsset, newAssetNum, newBuy } from '../harness/orders.ts';
import { retried } from '../harness/retried.ts';
import { QUEUE_KINDS } from '../harness/stack.ts';

const CUSTOMERS = 6;
const BATCHES_A_CUSTOMER = 18;
/** Five kills: of every process one, and of one a second. */
const BATCHES_BETWEEN_KILLS = 20;

/** What one customer's channel sent and was answered. */
interface Story {
  batch: ReturnType<typeof batchOf>;
  answered: AcceptedOrder[];
}

describe.each(QUEUE_KINDS)('two api and two worker processes on %s, one killed every few batches', (queue) => {
  let service: KilledProcesses;
  beforeAll(async () => {
    service = await startKilledProcesses(queue, { redisDatabase: 7, batchesBetweenKills: BATCHES_BETWEEN_KILLS });
  });
  afterAll(() => service.close());

  it('loses nothing that was answered, does nothing twice and keeps the order of each customer', async () => {
    const { apis } = service;

    const stories = await Promise.all(
      Array.from({ length: CUSTOMERS }, async () => {
        const customer = await retried(apis, (api) => api.newCustomer());
        return await tellStory(apis, customer, service.countBatch);
      }),
    );
    await service.restarted();

    for (const { batch, answered } of stories.flat()) {
      const result = await retried(apis, (api) => api.completed(batch));
      expect(result.orders.filter((order) => order.state !== 'succeeded')).toEqual([]);
      expect(result.orders.map((order) => order.licenseOrderId)).toEqual(answered.map((order) => order.licenseOrderId));
    }
    const { rows } = await sql<{ active: number; bought: number; orders: number }>`
      select (select count(*)::int from asset where revoked_time is null) as active,
        (select count(*)::int from product_instance) as bought,
        (select count(*)::int from license_order) as orders`.execute(service.database.db);
    const orders = CUSTOMERS * BATCHES_A_CUSTOMER * 3;
    expect(rows[0]).toEqual({ active: 0, bought: orders / 2, orders });
    expect(await checkNumbers(service.database.db)).toEqual([]);
  }, 240_000);
});

/**
 * Sends a customer's batches back to back, without waiting for their outcome, to one API after the other: each buys
 * and revokes the same number three times over two batches, so every order succeeds only if the order is kept.
 */
async function tellStory(apis: Api[], customer: Customer, onBatch: () => void): Promise<Story[]> {
  const story: Story[] = [];
  const assetNum = newAssetNum();
  for (let index = 0; index < BATCHES_A_CUSTOMER; index++) {
    const buy = () => newBuy(customer, [assetNum]);
    const revoke = () => deleteAsset(customer, [assetNum]);
    const batch = index % 2 === 0 ? batchOf(buy(), revoke(), buy()) : batchOf(revoke(), buy(), revoke());
    const answered = await retried(apis, async (api) => dataOf(await api.submit(batch)));
    story.push({ batch, answered });
    onBatch();
  }
  return story;
}
