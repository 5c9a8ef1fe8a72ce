import type { AcceptedOrder, Customer } from '@lockstep/contract';
import { pauseChannel, resumeChannel } from '@lockstep/orders';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { type Api, dataOf } from '../harness/api.ts';
import { checkNumbers } from '../harness/databases/numbers.ts';
import { batchOf, deleteAsset, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { retried } from '../harness/orders/retried.ts';
import { testKilledProcesses } from '../harness/processes/deployment.ts';
import { QUEUE_KINDS } from '../harness/stack.ts';

/** The customers' channels, with the number of batches of each: one large channel beside small ones. */
const BATCHES_OF = [
  ['large', 36],
  ['large', 36],
  ['paused', 12],
  ['paused', 12],
  ['small', 8],
  ['smaller', 4],
] as const;
const BATCHES = BATCHES_OF.reduce((sum, [, batches]) => sum + batches, 0);
/** Five kills: one of each process, and a second one of one process. */
const BATCHES_BETWEEN_KILLS = 20;

/** The requests and answers of one customer. */
interface Story {
  apis: Api[];
  batch: ReturnType<typeof batchOf>;
  answered: AcceptedOrder[];
}

describe.each(QUEUE_KINDS)('two api and two worker processes on %s, one killed every few batches', async (queue) => {
  const batchesBetweenKills = BATCHES_BETWEEN_KILLS;
  const service = await testKilledProcesses(queue, { redisDatabase: 7, batchesBetweenKills });

  it('loses nothing that was answered, does nothing twice and keeps each customer’s order', async () => {
    const { apis, database } = service;
    const others = await service.newApis();
    const customers = await Promise.all(
      BATCHES_OF.map(([channel]) => retried(apis, (api) => api.newCustomer(undefined, channel))),
    );
    await pauseChannel(database.db, 'paused', async () => {});

    const telling = Promise.all(
      customers.map((customer, index) =>
        tellStory([apis, others], customer, BATCHES_OF[index]![1], service.countBatch),
      ),
    );
    await service.sent(BATCHES / 2);
    const ofPaused = customers.filter((_, index) => BATCHES_OF[index]![0] === 'paused').map((each) => each.customerId);
    expect(
      await database.db.selectFrom('asset').select('id').where('customer_id', 'in', ofPaused).execute(),
      'nothing took effect in the paused channel',
    ).toEqual([]);
    await resumeChannel(database.db, 'paused', async () => {});
    const stories = await telling;
    await service.restarted();

    for (const { apis, batch, answered } of stories.flat()) {
      const result = await retried(apis, (api) => api.completed(batch));
      expect(result.orders.filter((order) => order.state !== 'succeeded')).toEqual([]);
      expect(result.orders.map((order) => order.licenseOrderId)).toEqual(answered.map((order) => order.licenseOrderId));
    }
    const { rows } = await sql<{ active: number; bought: number; orders: number }>`
      select (select count(*)::int from asset where revoked_time is null) as active,
        (select count(*)::int from product_instance) as bought,
        (select count(*)::int from license_order) as orders`.execute(database.db);
    const orders = BATCHES * 3;
    expect(rows[0]).toEqual({ active: 0, bought: orders / 2, orders });
    expect(await checkNumbers(database.db)).toEqual([]);
  }, 240_000);
});

/**
 * Sends a customer's batches back to back without waiting for their outcomes, alternating applications and APIs. Each
 * pair of batches buys and revokes the same number three times, so an order succeeds only after the one before it.
 */
async function tellStory(
  applications: Api[][],
  customer: Customer,
  batches: number,
  onBatch: () => void,
): Promise<Story[]> {
  const story: Story[] = [];
  const assetNum = newAssetNum();
  for (let index = 0; index < batches; index++) {
    const apis = applications[index % applications.length]!;
    const buy = () => newBuy(customer, [assetNum]);
    const revoke = () => deleteAsset(customer, [assetNum]);
    const batch = index % 2 === 0 ? batchOf(buy(), revoke(), buy()) : batchOf(revoke(), buy(), revoke());
    const answered = await retried(apis, async (api) => dataOf(await api.submit(batch)));
    story.push({ apis, batch, answered });
    onBatch();
  }
  return story;
}
