import type { EventPage, FeedEvent } from '@lockstep/contract';
import { lockLanes } from '@lockstep/orders/testing';
import { inTransaction } from '@lockstep/platform';
import { describe, expect, it } from 'vitest';
import { type Api, dataOf } from '../harness/api.ts';
import { countWaitingForRows } from '../harness/databases/waiting.ts';
import { firstLaneOf } from '../harness/orders/lanes.ts';
import { batchOf, deleteAsset, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { retried } from '../harness/orders/retried.ts';
import { syncOf } from '../harness/orders/sync-batches.ts';
import { testKilledProcesses } from '../harness/processes/deployment.ts';
import { QUEUE_KINDS } from '../harness/stack.ts';

const CUSTOMERS = 8;
const BATCHES_A_CUSTOMER = 30;
/** Eight kills: two of each process. */
const BATCHES_BETWEEN_KILLS = 27;

type Batch = ReturnType<typeof batchOf> | ReturnType<typeof syncOf>;

describe.each(QUEUE_KINDS)('two api and two worker processes on %s, one killed every few batches', async (queue) => {
  const batchesBetweenKills = BATCHES_BETWEEN_KILLS;
  const service = await testKilledProcesses(queue, { redisDatabase: 6, batchesBetweenKills });

  it('give a reader that continues after the last ID every batch, once and in order', async () => {
    const { apis } = service;
    let areAllEnded = false;
    const following = follow(() => areAllEnded);

    const before = await cancelPending();
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
          await settled((api) => api.submit(batch));
          if (index % 5 === 4) await settled((api) => api.submitCancel(batch));
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
    const told = events.map(({ data }) => data.channelOrderId);
    expect(told).toHaveLength(all.length);
    expect(told.toSorted()).toEqual([...results.keys()].toSorted());
    const ids = events.map(({ id }) => Number(id));
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
    for (const { type, data } of events) {
      const { orders, nextCursor: _, estimatedCompletionTime: __, ...summary } = results.get(data.channelOrderId)!;
      const cancelled = orders.filter(({ cause }) => cause === 'cancelled').length;
      expect({ type, data }).toEqual({ type: 'batch.completed', data: { ...summary, cancelled } });
    }
    const cancelled = events.reduce((sum, { data }) => sum + data.cancelled, 0);
    expect(cancelled).toBeGreaterThan(0);
    // A new reader that starts at the beginning reads the same events.
    expect(await follow(() => true)).toEqual(events);
  }, 240_000);

  /** Reads the feed in small pages, alternating APIs, from its beginning to its final end. */
  async function follow(isEnding: () => boolean): Promise<FeedEvent[]> {
    const events: FeedEvent[] = [];
    let after = '';
    for (;;) {
      const isLast = isEnding();
      const page = await retried(service.apis, async (api): Promise<EventPage> => {
        const query = { after, limit: '7', waitSeconds: '3' };
        return dataOf(await api.call('GET', '/events', { query }));
      });
      events.push(...page.events);
      after = page.lastId ?? '';
      if (isLast && page.events.length === 0) return events;
    }
  }

  /** Sends batches until one is cancelled. Each cancel call gets its lane before the workers. Returns the batches. */
  async function cancelPending(): Promise<Batch[]> {
    const { db } = service.database;
    const customer = await retried(service.apis, (api) => api.newCustomer());
    const sent: Batch[] = [];
    for (let cancelled = 0; cancelled === 0; ) {
      const batch = batchOf(newBuy(customer, [newAssetNum()]));
      sent.push(batch);
      const { cancelling } = await inTransaction(db, async (trx) => {
        await lockLanes(trx, [firstLaneOf(customer.customerId)]);
        await settled((api) => api.submit(batch));
        // A call that times out is refused and sent again. Then a worker may get the lane first.
        const cancelling = settled((api) => api.submitCancel(batch));
        cancelling.catch(() => {});
        await expect.poll(() => countWaitingForRows(db)).toBe(1);
        return { cancelling };
      });
      ({ cancelled } = await cancelling);
    }
    return sent;
  }

  /** Repeats a call until it succeeds. Calls are refused while a process holds the locks of a killed one. */
  async function settled(call: (api: Api) => ReturnType<Api['submit']>) {
    return await retried(service.apis, async (api) => {
      const answer = await call(api);
      if (answer.body.code === '500') throw new TypeError('It is to be sent again');
      return dataOf(answer);
    });
  }
});
