import { randomUUID } from 'node:crypto';
import type { BatchResult, EventPage, FeedEvent } from '@lockstep/contract';
import { retryFailedOrders } from '@lockstep/orders';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { type Api, dataOf, refusalOf } from '../../harness/api.ts';
import {
  acceptUnchecked,
  completedByFailing,
  failOrders,
  refusedByPostgres,
} from '../../harness/databases/unchecked.ts';
import { untilReceived } from '../../harness/databases/waiting.ts';
import { batchOfEvent, strictEventPage } from '../../harness/orders/events.ts';
import { batchOf, deleteAsset, newAssetNum, newBuy } from '../../harness/orders/orders.ts';
import { syncOf } from '../../harness/orders/sync-batches.ts';
import { QUEUE_KINDS, testStack } from '../../harness/stack.ts';

/** The event feed (rules 6.8). */

const submitQuery = (api: Api, query: Record<string, string> = {}, nonce?: string) =>
  api.call('GET', '/events', { query, ...(nonce === undefined ? {} : { nonce }) });
const readEvents = async (api: Api, query: Record<string, string> = {}): Promise<EventPage> =>
  strictEventPage.parse(dataOf(await submitQuery(api, query))) as EventPage;

/** Reads the feed until `count` events follow `after`. */
async function readSome(api: Api, count: number, after = ''): Promise<FeedEvent[]> {
  const events: FeedEvent[] = [];
  while (events.length < count) {
    const page = await readEvents(api, { after: events.at(-1)?.id ?? after, waitSeconds: '30' });
    if (page.events.length === 0) throw new Error(`${count - events.length} events did not come`);
    events.push(...page.events);
  }
  return events;
}

/** Returns the event data expected for a batch with this result. */
function endOf(
  { orders: _orders, nextCursor: _nextCursor, estimatedCompletionTime: _estimate, ...summary }: BatchResult,
  cancelled = 0,
) {
  return { ...summary, cancelled };
}

describe.each(QUEUE_KINDS)('the feed, on %s', async (queue) => {
  const { stack, api } = await testStack({ queue });
  const customer = await api.newCustomer();
  let after = '';

  /** Returns the event of a batch that has just completed, with the batch's result. */
  async function nextEvent(batch: { channelCode: string; channelOrderId: string }) {
    const result = await api.completed(batch);
    const [event, ...others] = await readSome(api, 1, after);
    expect(others).toEqual([]);
    after = event!.id;
    return { event: event!, result };
  }

  it('has an event of an async batch with some failed orders', async () => {
    const batch = batchOf(newBuy(customer, [newAssetNum()]), deleteAsset(customer, [newAssetNum()]));
    await api.accept(batch);
    const { event, result } = await nextEvent(batch);
    expect(result).toMatchObject({ state: 'completed', succeeded: 1, failed: 1 });
    expect(event).toEqual({
      id: expect.stringMatching(/^\d+$/),
      type: 'batch.completed',
      time: result.completedTime,
      data: endOf(result),
    });
  });

  it('has an event of a batch with an order that an operator ended, and another after its retry', async () => {
    const batch = batchOf(refusedByPostgres(customer, [newAssetNum()]), newBuy(customer, [newAssetNum()]));
    await acceptUnchecked(stack, api, batch);
    const { orders } = await completedByFailing(stack, api, batch);
    const first = await nextEvent(batch);
    expect(first.event).toMatchObject({ type: 'batch.completed', data: { total: 2, succeeded: 1, failed: 1 } });
    const ended = [orders[0]!.licenseOrderId];
    expect(await retryFailedOrders(stack.db, ended)).toEqual({ retried: 1, notRetried: [] });
    // Otherwise a worker holds the order first, which takes seconds because no other order runs beside it.
    await failOrders(stack.db, ended);
    const again = await nextEvent(batch);
    expect(again.event).toMatchObject({ type: 'batch.retried', data: { total: 2, succeeded: 1, failed: 1 } });
    expect(again.event.data).toEqual(endOf(again.result));
    expect(again.event.time).toBeGreaterThan(first.event.time);
    expect(await readEvents(api, { after: String(BigInt(first.event.id) - 1n) })).toMatchObject({
      events: [first.event, again.event],
    });
  });

  it('has no event of a refused batch, and none of a resubmitted one', async () => {
    const batch = syncOf(newBuy(customer, [newAssetNum()]));
    refusalOf(await api.submit(syncOf(newBuy(customer, [newAssetNum()]), deleteAsset(customer, [newAssetNum()]))));
    await api.accept(batch);
    await api.accept(batch);
    await api.cancel(batch);
    const { event } = await nextEvent(batch);
    expect(batchOfEvent(event).channelOrderId).toBe(batch.channelOrderId);
    const last = batchOf(newBuy(customer, [newAssetNum()]));
    await api.accept(last);
    expect(batchOfEvent((await nextEvent(last)).event).channelOrderId).toBe(last.channelOrderId);
  });

  it('shows an application only the events of its own batches', async () => {
    const other = await stack.newApi();
    expect(await readEvents(other)).toEqual({ events: [], lastId: null, hasMore: false });
    expect(await readEvents(other, { after: '0' })).toEqual({ events: [], lastId: '0', hasMore: false });
    const batch = syncOf(newBuy(await other.newCustomer(), [newAssetNum()]));
    await other.accept(batch);
    const [event] = await readSome(other, 1);
    expect(batchOfEvent(event!).channelOrderId).toBe(batch.channelOrderId);
    const own = syncOf(newBuy(customer, [newAssetNum()]));
    await api.accept(own);
    expect(batchOfEvent((await nextEvent(own)).event).channelOrderId).toBe(own.channelOrderId);
    expect(await readEvents(other, { after: event!.id })).toEqual({ events: [], lastId: event!.id, hasMore: false });
  });
});

describe('without a worker, which would number the events that the API leaves,', async () => {
  const { stack, api } = await testStack({ worker: false });

  it('a sync batch has an event at once', async () => {
    const other = await stack.newApi();
    const customer = await other.newCustomer();
    const batch = syncOf(newBuy(customer, [newAssetNum()]), newBuy(customer, [newAssetNum()]));
    await other.accept(batch);
    const [event] = await readSome(other, 1);
    const result = await other.completed(batch);
    expect(event).toMatchObject({ type: 'batch.completed', time: result.completedTime });
    expect(event!.data).toEqual(endOf(result));
    expect(event!.data).toMatchObject({ syncMode: 'sync', total: 2, succeeded: 2 });
  });

  it('a cancelled batch has an event at once, with the number of cancelled orders', async () => {
    const customer = await api.newCustomer();
    const batch = batchOf(newBuy(customer, [newAssetNum()]), newBuy(customer, [newAssetNum()]));
    await api.accept(batch);
    await api.cancel(batch);
    const [event] = await readSome(api, 1);
    expect(event!.data).toEqual(endOf(await api.completed(batch), 2));
    expect(event!.data).toMatchObject({ failed: 2, succeeded: 0 });
  });
});

const { stack } = await testStack();

describe('of seven events', async () => {
  const api = await stack.newApi();
  const customer = await api.newCustomer();
  for (let count = 0; count < 7; count++) await api.accept(syncOf(newBuy(customer, [newAssetNum()])));
  const all = await readSome(api, 7);

  it.each([
    ['1', [1, 1, 1, 1, 1, 1, 1]],
    ['3', [3, 3, 1]],
    ['6', [6, 1]],
    ['7', [7]],
    ['1000', [7]],
    ['', [7]],
  ])('pages of limit "%s" lead to the next until all events are listed, once and in order', async (limit, sizes) => {
    const pages: EventPage[] = [];
    let after = '';
    do {
      pages.push(await readEvents(api, { limit, after }));
      after = pages.at(-1)!.lastId!;
    } while (pages.at(-1)!.hasMore);
    expect(pages.map(({ events }) => events.length)).toEqual(sizes);
    expect(pages.flatMap(({ events }) => events)).toEqual(all);
    for (const { events, lastId } of pages) expect(lastId).toBe(events.at(-1)!.id);
    const ids = all.map(({ id }) => BigInt(id));
    expect(ids).toEqual(ids.toSorted((a, b) => (a < b ? -1 : 1)));
  });

  it('those after an ID can be read even if its event is deleted', async () => {
    const [, second, ...rest] = all;
    const place = String(BigInt(second!.id) - 1n);
    await stack.db.transaction().execute(async (trx) => {
      await sql`delete from event where position <= ${second!.id}`.execute(trx);
    });
    expect(await readEvents(api, { after: place })).toMatchObject({ events: rest });
    expect(await readEvents(api)).toMatchObject({ events: rest, lastId: rest.at(-1)!.id });
    expect(await readEvents(api, { after: second!.id })).toMatchObject({ events: rest });
  });

  it('the last ID is accepted, and higher ones are refused, however long a call waits', async () => {
    const { lastId } = await readEvents(await stack.newApi(), { after: 'latest' });
    expect(await readEvents(api, { after: lastId! })).toEqual({ events: [], lastId, hasMore: false });
    const huge = ['9223372036854775806', '9223372036854775807', '9223372036854775808', '9'.repeat(19)];
    for (const after of [String(BigInt(lastId!) + 1n), ...huge, `0${'9'.repeat(9)}`]) {
      for (const waitSeconds of ['0', '30']) {
        const refusal = refusalOf(await submitQuery(api, { after, waitSeconds }));
        expect(refusal).toMatchObject({ code: '13004', cause: 'event_unknown' });
      }
    }
  });

  it('latest is the position from which a reader gets only new events', async () => {
    const { events, lastId, hasMore } = await readEvents(api, { after: 'latest' });
    expect({ events, hasMore }).toEqual({ events: [], hasMore: false });
    const batch = syncOf(newBuy(customer, [newAssetNum()]));
    await api.accept(batch);
    const [event] = await readSome(api, 1, lastId!);
    expect(batchOfEvent(event!).channelOrderId).toBe(batch.channelOrderId);
    expect((await readEvents(api, { after: 'latest' })).lastId).toBe(event!.id);
  });

  it('latest skips no event that has occurred and has no ID yet', async () => {
    const before = await readEvents(api, { after: 'latest' });
    const { rows } = await sql<{ id: string }>`
      insert into unnumbered_event (application_id, batch_id, type, happened_time, succeeded, failed, cancelled)
      select application_id, batch_id, 'batch.retried', now(), 1, 0, 0 from event
      where position = ${before.lastId} returning id`.execute(stack.db);
    expect(rows).toHaveLength(1);
    const { lastId } = await readEvents(api, { after: 'latest' });
    const found = await readSome(api, 1, before.lastId!);
    expect(found).toMatchObject([{ type: 'batch.retried' }]);
    // If the event had its number before the answer, `lastId` includes it; if not, the reader gets it next.
    expect((await readEvents(api, { after: lastId! })).events).toEqual(lastId === before.lastId ? found : []);
  });
});

/** Starts a call that waits for events. Resolves when the service has received it. */
async function startWaiting(api: Api, query: Record<string, string> = {}) {
  const nonce = randomUUID();
  const call = submitQuery(api, { waitSeconds: '30', ...query }, nonce);
  await untilReceived(stack.db, nonce);
  return async () => strictEventPage.parse(dataOf(await call)) as EventPage;
}

describe('a waiting call', async () => {
  const api = await stack.newApi();
  const customer = await api.newCustomer();

  const lastId = async () => (await readEvents(api)).lastId ?? '';

  it('is answered with the next event, like every other call at the same position', async () => {
    const after = await lastId();
    const answers = await Promise.all(Array.from({ length: 5 }, () => startWaiting(api, { after })));
    const batch = batchOf(newBuy(customer, [newAssetNum()]));
    await api.accept(batch);
    for (const answer of answers) {
      const { events, hasMore } = await answer();
      expect(events.map((event) => batchOfEvent(event).channelOrderId)).toEqual([batch.channelOrderId]);
      expect(hasMore).toBe(false);
    }
  });

  it('is not answered by an event of another application', async () => {
    const other = await stack.newApi();
    const answer = await startWaiting(other, { waitSeconds: '1' });
    await api.accept(syncOf(newBuy(customer, [newAssetNum()])));
    expect(await answer()).toEqual({ events: [], lastId: null, hasMore: false });
  });

  it('is answered even if its notification is lost', async () => {
    const after = await lastId();
    const answer = await startWaiting(api, { after });
    await sql`
      with counter as (update event_counter set last_position = last_position + 1 returning last_position)
      insert into event (application_id, position, batch_id, type, happened_time, succeeded, failed, cancelled)
      select application_id, last_position, batch.id, 'batch.retried', now(), 1, 0, 0
      from counter, batch join application on application.id = application_id
      where app_key = ${api.credentials.appKey} limit 1`.execute(stack.db);
    expect(await answer()).toMatchObject({ events: [{ type: 'batch.retried' }] });
  });
});
