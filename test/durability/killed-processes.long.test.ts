import type { AcceptedOrder, Customer, EventPage, FeedEvent } from '@lockstep/contract';
import { pauseChannel, resumeChannel } from '@lockstep/orders';
import { lockLanes } from '@lockstep/orders/testing';
import { inTransaction } from '@lockstep/platform';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { type Api, dataOf } from '../harness/api.ts';
import { checkNumbers } from '../harness/databases/numbers.ts';
import { countWaitingForRows } from '../harness/databases/waiting.ts';
import { batchOfEvent } from '../harness/orders/events.ts';
import { firstLaneOf } from '../harness/orders/lanes.ts';
import { batchOf, deleteAsset, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { retried } from '../harness/orders/retried.ts';
import { syncOf } from '../harness/orders/sync-batches.ts';
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
/** Four kills in the first test, one of each process, and eight in the second. */
const BATCHES_BETWEEN_KILLS = 27;
const CUSTOMERS = 8;
const BATCHES_A_CUSTOMER = 30;

type Batch = ReturnType<typeof batchOf> | ReturnType<typeof syncOf>;

/** The requests and answers of one customer. */
interface Story {
  apis: Api[];
  batch: ReturnType<typeof batchOf>;
  answered: AcceptedOrder[];
}

describe.each(QUEUE_KINDS)('two api and two worker processes on %s, one killed every few batches', async (queue) => {
  const batchesBetweenKills = BATCHES_BETWEEN_KILLS;
  const service = await testKilledProcesses(queue, { redisDatabase: 7, batchesBetweenKills });
  // Makes `test` the first channel.
  await service.api.newCustomer();

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

  it('give a reader that continues after the last ID every batch, once and in order', async () => {
    const apis = await service.newApis();
    let areAllEnded = false;
    const following = follow(apis, () => areAllEnded);

    const before = await cancelPending(apis);
    const batches = await Promise.all(
      Array.from({ length: CUSTOMERS }, async () => {
        const customer = await retried(apis, (api) => api.newCustomer());
        const own: Batch[] = [];
        for (let index = 0; index < BATCHES_A_CUSTOMER; index++) {
          const buy = newBuy(customer, [newAssetNum()]);
          const batch =
            index % 3 === 2
              ? syncOf(buy)
              : batchOf(buy, deleteAsset(customer, [newAssetNum()]), newBuy(customer, [newAssetNum()]));
          await settled(apis, (api) => api.submit(batch));
          if (index % 5 === 4) await settled(apis, (api) => api.submitCancel(batch));
          own.push(batch);
          service.countBatch();
        }
        return own;
      }),
    );
    await service.restarted();
    const all = [...before, ...batches.flat()];
    const completed = all.map((batch) => retried(apis, (api) => api.completed(batch)));
    const results = new Map((await Promise.all(completed)).map((result) => [result.channelOrderId, result]));
    areAllEnded = true;

    const events = await following;
    const told = events.map((event) => batchOfEvent(event).channelOrderId);
    expect(told).toHaveLength(all.length);
    expect(told.toSorted()).toEqual([...results.keys()].toSorted());
    const ids = events.map(({ id }) => Number(id));
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
    for (const event of events) {
      const { type } = event;
      const data = batchOfEvent(event);
      const { orders, nextCursor: _, estimatedCompletionTime: __, ...summary } = results.get(data.channelOrderId)!;
      const cancelled = orders.filter(({ cause }) => cause === 'cancelled').length;
      expect({ type, data }).toEqual({ type: 'batch.completed', data: { ...summary, cancelled } });
    }
    const cancelled = events.reduce((sum, event) => sum + batchOfEvent(event).cancelled, 0);
    expect(cancelled).toBeGreaterThan(0);
    // A new reader that starts at the beginning reads the same events.
    expect(await follow(apis, () => true)).toEqual(events);
  }, 240_000);

  /** Reads the feed in small pages, alternating APIs, from its beginning to its final end. */
  async function follow(apis: Api[], isEnding: () => boolean): Promise<FeedEvent[]> {
    const events: FeedEvent[] = [];
    let after = '';
    for (;;) {
      const isLast = isEnding();
      const page = await retried(apis, async (api): Promise<EventPage> => {
        const query = { after, limit: '7', waitSeconds: '3' };
        return dataOf(await api.call('GET', '/events', { query }));
      });
      events.push(...page.events);
      after = page.lastId ?? '';
      if (isLast && page.events.length === 0) return events;
    }
  }

  /** Sends batches until one is cancelled. Each cancel call gets its lane before the workers. Returns the batches. */
  async function cancelPending(apis: Api[]): Promise<Batch[]> {
    const { db } = service.database;
    const customer = await retried(apis, (api) => api.newCustomer());
    const sent: Batch[] = [];
    for (let cancelled = 0; cancelled === 0; ) {
      const batch = batchOf(newBuy(customer, [newAssetNum()]));
      sent.push(batch);
      const { cancelling } = await inTransaction(db, async (trx) => {
        await lockLanes(trx, [firstLaneOf(customer.customerId)]);
        await settled(apis, (api) => api.submit(batch));
        // A call that times out is refused and sent again. Then a worker may get the lane first.
        const cancelling = settled(apis, (api) => api.submitCancel(batch));
        cancelling.catch(() => {});
        await expect.poll(() => countWaitingForRows(db)).toBe(1);
        return { cancelling };
      });
      ({ cancelled } = await cancelling);
    }
    return sent;
  }

  /** Repeats a call until it succeeds. Calls are refused while a process holds the locks of a killed one. */
  async function settled(apis: Api[], call: (api: Api) => ReturnType<Api['submit']>) {
    return await retried(apis, async (api) => {
      const answer = await call(api);
      if (answer.body.code === '500') throw new TypeError('It is to be sent again');
      return dataOf(answer);
    });
  }
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
