import { type Job, QUEUE_NAME } from '@lockstep/orders';
import { createLogger, JobQueue } from '@lockstep/platform';
import { describe, expect, it } from 'vitest';
import { batchOf, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { acceptAll, buyAndDelete, countOutcomes, readGrants, waitForResults } from '../harness/orders/stories.ts';
import { startAnotherApi } from '../harness/processes/another-api.ts';
import { testStack, untilTestsEnd } from '../harness/stack.ts';

const silent = createLogger({ name: 'test', level: 'silent', secrets: new Set() });

describe.each([
  { queue: 'redis', workers: 4 },
  { queue: 'postgres', workers: 2 },
] as const)('orders on $queue, with two APIs and $workers workers,', async ({ queue, workers }) => {
  const { stack, api } = await testStack({ queue, worker: false });
  await Promise.all(Array.from({ length: workers }, () => stack.startWorker()));
  const second = await untilTestsEnd(startAnotherApi(stack, api));
  const apis = [api, second.api];

  it.each([
    [40, 'one API', 1],
    [40, 'two APIs in turn', 2],
  ])('of one customer take effect in acceptance order: %i batches over %s', async (count, _, apiCount) => {
    const customer = await api.newCustomer();
    const assetNum = newAssetNum();
    // Sequences fall from batch to batch, because they order only the orders within a batch.
    const batches = buyAndDelete(customer, assetNum, count).map((order, index) =>
      batchOf({ ...order, sequence: 1_000 - index }),
    );
    await acceptAll(apis.slice(0, apiCount), batches);
    const orders = await waitForResults(api, batches);
    expect(countOutcomes(orders)).toEqual({ succeeded: count });
    const purchases = orders.filter(({ orderType }) => orderType === 'new_buy');
    expect(await readGrants(stack, assetNum)).toEqual(
      purchases.map(({ licenseOrderId }) => ({ license_order_id: licenseOrderId, active: false })),
    );
  });

  it('are applied once, however often their job runs', async () => {
    const customer = await api.newCustomer();
    const assetNums = [newAssetNum(), newAssetNum()];
    const producer = new JobQueue<Job>(stack.queue, QUEUE_NAME, silent);
    const drainAll = () => producer.add({ type: 'drain', version: 3, throughBatchId: '999999999' });
    const batch = batchOf(newBuy(customer, [assetNums[0]!]));
    await Promise.all([drainAll(), drainAll(), api.accept(batch), drainAll(), drainAll()]);
    const [order] = await waitForResults(api, [batch]);
    await Promise.all([drainAll(), drainAll()]);
    // Drains of this lane have started and ended before the later order succeeds.
    const later = batchOf(newBuy(customer, [assetNums[1]!]));
    expect(countOutcomes(await api.process(later))).toEqual({ succeeded: 1 });
    await producer.close();
    expect(await waitForResults(api, [batch])).toEqual([order]);
    expect(order).toMatchObject({ state: 'succeeded', assets: 1, products: 1 });
    expect(await readGrants(stack, assetNums[0]!)).toEqual([{ license_order_id: order?.licenseOrderId, active: true }]);
  });
});
