import { findChannel, readChannels } from '@lockstep/orders';
import { countActivity } from '@lockstep/orders/testing';
import { expect, it } from 'vitest';
import { batchOf, newAssetNum, newBuy } from '../../harness/orders/orders.ts';
import { readResult, syncOf } from '../../harness/orders/sync-batches.ts';
import { testStack } from '../../harness/stack.ts';

/** The numbers that the service shows for a channel: its backlog, its applications and its throughput. */

const { stack, api } = await testStack({ worker: false });
const customer = await api.newCustomer();

const buy = () => newBuy(customer, [newAssetNum()]);

/** Returns the customer's channel, the only one with numbers to show. */
async function readIt() {
  const channels = await readChannels(stack.db);
  const { channelCode } = channels.find(({ pending, perSecond }) => pending > 0 || perSecond.accepted > 0)!;
  return (await findChannel(stack.db, channels, channelCode))!;
}

it('shows the backlog and its applications, before and after it is added up', async () => {
  const other = await stack.newApi();
  const batch = batchOf(buy(), buy());
  await api.accept(batch);
  const { acceptedTime } = await readResult(api, batch);
  await other.accept(batchOf(buy()));
  for (const count of [() => {}, () => countActivity(stack.db)]) {
    await count();
    const channel = await readIt();
    expect(channel).toMatchObject({
      pendingOrders: 3,
      heldOrders: 0,
      oldestPendingTime: acceptedTime,
      pausedTime: null,
    });
    expect(channel.applications).toMatchObject([
      { appKey: api.credentials.appKey, pendingOrders: 2 },
      { appKey: other.credentials.appKey, pendingOrders: 1 },
    ]);
    expect(channel).toMatchObject({ perSecond: { succeeded: 0, failed: 0 }, estimatedCompletionTime: null });
    expect(channel.perSecond.accepted).toBeGreaterThan(0);
  }
});

it('shows the throughput until nothing is pending', async () => {
  const worker = await stack.startWorker();
  await expect.poll(async () => (await readIt()).pendingOrders).toBe(0);
  await worker.close();
  const channel = await readIt();
  expect(channel).toMatchObject({
    applications: [],
    oldestPendingTime: null,
    perSecond: { failed: 0 },
    estimatedCompletionTime: null,
  });
  expect(channel.perSecond.succeeded).toBe(channel.perSecond.accepted);
  await api.accept(syncOf(buy()));
  const later = await readIt();
  expect(later.pendingOrders).toBe(0);
  expect(later.perSecond.succeeded).toBe(later.perSecond.accepted);
});
