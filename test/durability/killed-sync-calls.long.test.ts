import { type AcceptedOrder, BatchResult, type Customer } from '@lockstep/contract';
import { describe, expect, it } from 'vitest';
import { dataOf, refusalOf } from '../harness/api.ts';
import { untilDisconnected, waitsToTheEnd } from '../harness/databases/waiting.ts';
import { buildCall, send } from '../harness/network/raw-calls.ts';
import { newCustomersInLanes } from '../harness/orders/lanes.ts';
import { deleteAsset, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { retried as retriedByAny } from '../harness/orders/retried.ts';
import { expectSumsRight, readRecords, syncOf, untilOneWaits, whileHeld } from '../harness/orders/sync-batches.ts';
import { testDeployment } from '../harness/processes/deployment.ts';

describe('an api process', async () => {
  const { database, api, processes } = await testDeployment({ workers: 0 });
  const [service] = processes as [(typeof processes)[0]];

  /** Restarts the service once PostgreSQL has ended the killed one's sessions. */
  async function restart(): Promise<void> {
    await untilDisconnected(database.db, 'lockstep-%');
    await service.start();
  }

  /** Repeats a call whose connection led to the killed process. */
  const retried = <Result>(call: () => Promise<Result>) => retriedByAny([api], call);

  /** Waits until the service takes no more calls. */
  async function untilClosed(): Promise<void> {
    const isTakingCalls = () =>
      fetch(`${api.baseUrl}/health/live`).then(
        ({ ok }) => ok,
        () => false,
      );
    await expect.poll(isTakingCalls).toBe(false);
  }

  /** Purchases of two customers, and a revocation of the first. All take effect, or none. */
  interface Story {
    batch: ReturnType<typeof syncOf>;
    nums: [string, string];
    answered: AcceptedOrder[] | null;
  }

  function newStory(first: Customer, second: Customer): Story {
    const nums: [string, string] = [newAssetNum(), newAssetNum()];
    const batch = syncOf(newBuy(first, [nums[0]]), newBuy(second, [nums[1]]), deleteAsset(first, [nums[0]]));
    return { batch, nums, answered: null };
  }

  /** Submits the batch. Returns false if the connection broke before the answer. */
  async function submit(story: Story): Promise<boolean> {
    try {
      story.answered = dataOf(await api.submit(story.batch));
      return true;
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      return false;
    }
  }

  /** Returns the order IDs of a batch that took full effect; null if it had no effect. */
  async function idsStored({ batch, nums }: Story): Promise<string[] | null> {
    const { channelCode, channelOrderId } = batch;
    const query = { channelCode, channelOrderId };
    const answer = await retried(() => api.call('GET', '/licenseOrder/batchOrder', { query }));
    const records = [await readRecords(database.db, nums[0]), await readRecords(database.db, nums[1])];
    if (answer.status !== 200) {
      expect(refusalOf(answer).cause).toBe('batch_not_found');
      expect(records).toEqual([[], []]);
      return null;
    }
    expect(dataOf(answer)).toMatchObject({ state: 'completed', total: 3, succeeded: 3 });
    expect(records.map((each) => each.map(({ active }) => active))).toEqual([[false], [true]]);
    return BatchResult.parse(dataOf(answer)).orders.map(({ licenseOrderId }) => licenseOrderId);
  }

  /** Resubmits the batch. It must have exactly one effect, and the same answer if it had one. */
  async function expectOneEffect(story: Story, stored: string[] | null): Promise<void> {
    const again = await retried(() => api.accept(story.batch));
    if (story.answered !== null) expect(again).toEqual(story.answered);
    const ids = again.map(({ licenseOrderId }) => licenseOrderId);
    if (stored !== null) expect(ids).toEqual(stored);
    expect(await idsStored(story)).toEqual(ids);
  }

  it.each([
    ['before its commit has applied nothing of the call', 'insert', false],
    ['in its commit has applied the whole call', 'commit', true],
  ] as const)('that is killed %s', async (_, moment, isStored) => {
    const [first, second] = (await retried(() => newCustomersInLanes(api, 2))) as [Customer, Customer];
    const story = newStory(first, second);
    const work = async () => {
      const answering = submit(story);
      await untilOneWaits(database.db);
      await service.kill();
      return { answering };
    };
    // After its outcomes, a new process draws ids and waits for them. What follows it sends together with the commit.
    const table = moment === 'insert' ? 'license_order' : 'batch';
    const { answering } = await whileHeld(database.db, moment, work, { table });
    expect(await answering).toBe(false);
    await restart();
    const stored = await idsStored(story);
    expect(stored !== null).toBe(isStored);
    await expectOneEffect(story, stored);
  });

  it('that is asked to stop answers the running sync call', async () => {
    const [first, second] = (await retried(() => newCustomersInLanes(api, 2))) as [Customer, Customer];
    const story = newStory(first, second);
    const { answering, stopping } = await whileHeld(database.db, 'commit', async () => {
      const answering = submit(story);
      await untilOneWaits(database.db);
      const stopping = service.stop();
      await untilClosed();
      return { answering, stopping };
    });
    expect(await answering).toBe(true);
    expect(await stopping).toBe(0);
    await service.start();
    expect(await idsStored(story)).toEqual(story.answered!.map(({ licenseOrderId }) => licenseOrderId));
  });

  it('that is asked to stop waits for running sync calls whose clients have disconnected', async () => {
    const customers = await retried(() => newCustomersInLanes(api, 2));
    const batches = Array.from({ length: 30 }, (_, index) => syncOf(newBuy(customers[index % 2]!, [newAssetNum()])));
    const isStopped = await whileHeld(database.db, 'commit', async () => {
      const call = (batch: unknown) =>
        send(api.baseUrl, buildCall(api, '/licenseOrder/batchOrder', JSON.stringify(batch)));
      const sockets = await Promise.all(batches.map(call));
      await expect.poll(() => waitsToTheEnd(database.db)).toBe(true);
      for (const socket of sockets) socket.destroy();
      const stopping = service.stop();
      await service.logged('stopping');
      await untilClosed();
      return { stopping };
    });
    expect(await isStopped.stopping).toBe(0);
    expect(service.linesWith('"level":50')).toEqual([]);
    await service.start();
    await Promise.all(batches.map((batch) => api.accept(batch)));
    await expectSumsRight(database.db);
  });
});
