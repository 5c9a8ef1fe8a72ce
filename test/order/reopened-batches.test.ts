import { LedgerIds } from '@lockstep/assets';
import { type BatchId, type LicenseOrderId, Refusal } from '@lockstep/contract';
import { retryFailedOrders } from '@lockstep/orders';
import { completeBatches, drainLanes, failInLanes, freeLanes, lockLanes, OpenBatches } from '@lockstep/orders/testing';
import { type Database, inTransaction, openDatabase } from '@lockstep/platform';
import { sql } from 'kysely';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { checkNumbers } from '../harness/databases/numbers.ts';
import { countWaiting } from '../harness/databases/waiting.ts';
import { ALL_LANES, newCustomersInLanes } from '../harness/orders/lanes.ts';
import { batchOf, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { expectSumsRight, readResult } from '../harness/orders/sync-batches.ts';
import { startAnotherApi } from '../harness/processes/another-api.ts';
import { testStack, untilTestsEnd } from '../harness/stack.ts';

/** Batches that complete, are reopened by `order retry`, and complete again, with one event per completion. */

const ids = new LedgerIds();

const { stack, api } = await testStack({ worker: false });
const second = await untilTestsEnd(startAnotherApi(stack, api));
beforeAll(async () => {
  await sql`create table test_end (batch_id bigint, is_end boolean)`.execute(stack.db);
  await sql`
    create function note_end() returns trigger language plpgsql as $$ begin
      insert into test_end values (new.id, new.completed_time is not null); return null;
    end $$`.execute(stack.db);
  await sql`
    create trigger note_end after update on batch for each row
    when (old.completed_time is distinct from new.completed_time) execute function note_end()`.execute(stack.db);
});
afterEach(async () => expect(await checkNumbers(stack.db)).toEqual([]));

type Batch = ReturnType<typeof batchOf>;

/** Accepts a batch with `ofEach` purchases for each of `lanes` customers in different lanes. */
async function accept(lanes: number, ofEach: number) {
  const customers = await newCustomersInLanes(api, lanes);
  const batch = batchOf(
    ...customers.flatMap((customer) => Array.from({ length: ofEach }, () => newBuy(customer, [newAssetNum()]))),
  );
  const orders = await api.accept(batch);
  const query = stack.db.selectFrom('batch').select('id').where('channel_order_id', '=', batch.channelOrderId);
  const { id } = await query.executeTakeFirstOrThrow();
  return { batch, id, orderIds: orders.map(({ licenseOrderId }) => licenseOrderId) };
}

/** Applies the pending orders of some lanes without completing their batches. */
const drain = (db: Database, lanes = ALL_LANES) => drainLanes(db, freeLanes(lanes), ids);

/** Fails a batch's pending orders, or one of them, with internal_error, without completing the batch. */
async function fail(db: Database, batchId: BatchId, orderId?: LicenseOrderId): Promise<void> {
  await inTransaction(db, async (trx) => {
    await lockLanes(trx, ALL_LANES);
    const isSelected = (id: LicenseOrderId) => orderId === undefined || id === orderId;
    await failInLanes(trx, { batchId, lanes: ALL_LANES }, new Refusal('internal_error'), isSelected);
  });
}

const retry = async (orderId: LicenseOrderId, db = stack.db) => (await retryFailedOrders(db, [orderId])).retried;

async function countChunks(batchId: BatchId): Promise<number> {
  const rows = await stack.db.selectFrom('lane_chunk').select('lane').where('batch_id', '=', batchId).execute();
  return rows.length;
}

/** Returns a batch's events, oldest first, and how often its row got a completion time. */
async function readEnds(batchId: BatchId) {
  const { rows } = await sql<{ type: string; succeeded: number; failed: number; cancelled: number; ends: number }>`
    select type, succeeded, failed, cancelled,
      (select count(*)::int from test_end where batch_id = ${batchId} and is_end) as ends
    from (
      select type, succeeded, failed, cancelled, happened_time from event where batch_id = ${batchId}
      union all
      select type, succeeded, failed, cancelled, happened_time from unnumbered_event where batch_id = ${batchId}
    ) as told order by happened_time`.execute(stack.db);
  return rows;
}

describe('a batch of four orders in two lanes that have all failed', () => {
  let batch: Batch;
  let id: BatchId;
  let orderIds: LicenseOrderId[];

  beforeEach(async () => {
    ({ batch, id, orderIds } = await accept(2, 2));
    await fail(stack.db, id);
    expect(await completeBatches(stack.db, [id])).toEqual([id]);
  });

  /** Expects that both APIs return these totals. */
  async function expectTotals(totals: Partial<Awaited<ReturnType<typeof readResult>>>): Promise<void> {
    for (const caller of [api, second.api]) {
      const { orders, ...result } = await readResult(caller, batch);
      expect(result).toMatchObject({ total: 4, ...totals });
      for (const state of ['succeeded', 'failed', 'pending'] as const) {
        expect(orders.filter((order) => order.state === state)).toHaveLength(result[state]);
      }
    }
  }

  it('is completed, retried order by order, cancelled and applied, and its totals are always correct', async () => {
    const [first, alone, third, fourth] = orderIds as [LicenseOrderId, LicenseOrderId, LicenseOrderId, LicenseOrderId];
    expect(await countChunks(id)).toBe(0);
    await expectTotals({ state: 'completed', succeeded: 0, failed: 4 });

    expect(await retry(first)).toBe(1);
    expect(await retry(first)).toBe(0);
    await expectTotals({ state: 'processing', succeeded: 0, failed: 3, pending: 1, completedTime: null });
    expect(await api.cancel(batch)).toEqual({ cancelled: 1, finished: 3 });
    expect(await countChunks(id)).toBe(0);
    await expectTotals({ state: 'completed', succeeded: 0, failed: 4 });

    expect(await retry(alone)).toBe(1);
    await drain(stack.db);
    // The order's chunk is finished, but the batch isn't completed when more orders of both lanes are retried.
    await expectTotals({ state: 'processing', succeeded: 1, failed: 3, pending: 0, completedTime: null });
    expect(await retry(third)).toBe(1);
    await expectTotals({ state: 'processing', succeeded: 1, failed: 2, pending: 1 });
    expect(await completeBatches(stack.db, [id])).toEqual([]);
    await fail(stack.db, id);
    expect(await retry(third)).toBe(1);
    expect(await retry(fourth)).toBe(1);
    await expectTotals({ state: 'processing', succeeded: 1, failed: 1, pending: 2 });
    await drain(stack.db);
    await expectTotals({ state: 'processing', succeeded: 3, failed: 1, pending: 0 });
    expect(await completeBatches(stack.db, [id])).toEqual([id]);
    await expectTotals({ state: 'completed', succeeded: 3, failed: 1, pending: 0 });

    expect(await readEnds(id)).toEqual([
      { type: 'batch.completed', succeeded: 0, failed: 4, cancelled: 0, ends: 3 },
      { type: 'batch.retried', succeeded: 0, failed: 4, cancelled: 1, ends: 3 },
      { type: 'batch.retried', succeeded: 3, failed: 1, cancelled: 1, ends: 3 },
    ]);
    await expectSumsRight(stack.db);
  });

  it('is reopened in one step', async () => {
    expect(await retryFailedOrders(stack.db, orderIds)).toEqual({ retried: 4, notRetried: [] });
    await expectTotals({ state: 'accepted', pending: 4 });
    await drain(stack.db);
    await new OpenBatches().completeFinished(stack.db);
    await expectTotals({ state: 'completed', succeeded: 4 });
  });

  it('cannot be reopened while it is being completed, but can be afterwards', async () => {
    expect(await retry(orderIds[0]!)).toBe(1);
    await drain(stack.db);
    let again: Promise<number> | undefined;
    await stack.db.transaction().execute(async (trx) => {
      expect(await completeBatches(trx, [id])).toEqual([id]);
      again = retry(orderIds[1]!);
      await expect.poll(() => countWaiting(stack.db)).toBe(1);
    });
    expect(await again).toBe(1);
    await expectTotals({ state: 'processing', succeeded: 1, failed: 2, pending: 1 });
    expect(await completeBatches(stack.db, [id])).toEqual([]);
  });
});

it('does not complete if an order is retried first', async () => {
  const { batch, id, orderIds } = await accept(2, 2);
  await fail(stack.db, id, orderIds[0]);
  expect(await retry(orderIds[0]!)).toBe(1);
  expect(await readResult(api, batch)).toMatchObject({ state: 'accepted', pending: 4 });
  await fail(stack.db, id, orderIds[3]);
  await drain(stack.db);
  expect(await retry(orderIds[3]!)).toBe(1);
  expect(await completeBatches(stack.db, [id])).toEqual([]);
  expect(await readResult(api, batch)).toMatchObject({ state: 'processing', succeeded: 3, pending: 1 });
  await drain(stack.db);
  expect(await completeBatches(stack.db, [id])).toEqual([id]);
  expect(await readEnds(id)).toEqual([{ type: 'batch.completed', succeeded: 4, failed: 0, cancelled: 0, ends: 1 }]);
});

it('all of this concurrently, over several pools, applies each order and announces each end once', async () => {
  const stories = await Promise.all(Array.from({ length: 8 }, () => accept(4, 3)));
  const allIds = stories.flatMap(({ orderIds }) => orderIds);
  const pools = Array.from({ length: 4 }, () =>
    openDatabase({ url: stack.url, poolSize: 3, applicationName: 'test', onError: () => {} }),
  );
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(Math.random() * items.length)]!;
  const repeat = async (times: number, act: () => Promise<unknown>) => {
    for (let time = 0; time < times; time++) await act();
  };
  let polls = 0;
  const actors = pools.flatMap((db) => {
    const sweep = new OpenBatches();
    return [
      repeat(40, () => fail(db, pick(stories).id, pick(stories).orderIds[0])),
      repeat(25, () => fail(db, pick(stories).id)),
      repeat(60, () => retryFailedOrders(db, [pick(pick(stories).orderIds)])),
      repeat(10, () => retryFailedOrders(db, allIds)),
      // Some workers die before they complete the batches of their drains.
      repeat(30, async () => {
        const { finishedBatchIds } = await drain(db, [...new Set([pick(ALL_LANES), pick(ALL_LANES)])]);
        if (Math.random() < 0.7) await completeBatches(db, finishedBatchIds);
      }),
      repeat(20, () => sweep.completeFinished(db)),
    ];
  });
  for (const caller of [api, second.api]) {
    actors.push(repeat(6, () => caller.cancel(pick(stories).batch)));
    actors.push(
      repeat(60, async () => {
        const { orders, ...result } = await readResult(caller, pick(stories).batch);
        const count = (state: string) => orders.filter((order) => order.state === state).length;
        expect(result).toMatchObject({ succeeded: count('succeeded'), failed: count('failed'), total: 12 });
        expect(result.pending).toBe(count('pending'));
        if (result.state === 'completed') expect(result.pending).toBe(0);
        polls++;
      }),
    );
  }
  await Promise.all(actors);
  expect(polls).toBe(120);
  while ((await retryFailedOrders(stack.db, allIds)).retried > 0) await drain(stack.db);
  await drain(stack.db);
  await new OpenBatches().completeFinished(stack.db);

  for (const { batch, id } of stories) {
    const { orders, ...result } = await readResult(api, batch);
    expect(result).toMatchObject({ state: 'completed', pending: 0 });
    expect(orders.every(({ state, cause }) => state === 'succeeded' || cause === 'cancelled')).toBe(true);
    const ends = await readEnds(id);
    expect(ends.filter(({ type }) => type === 'batch.completed')).toHaveLength(1);
    expect(ends).toHaveLength(ends[0]!.ends);
    expect(ends.at(-1)).toMatchObject({ succeeded: result.succeeded, failed: result.failed, cancelled: result.failed });
    expect(await countChunks(id)).toBe(0);
  }
  await expectSumsRight(stack.db);
  await Promise.all(pools.map((db) => db.destroy()));
}, 120_000);
