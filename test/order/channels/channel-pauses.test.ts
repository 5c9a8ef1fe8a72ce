import type { Customer } from '@lockstep/contract';
import { pauseChannel, resumeChannel } from '@lockstep/orders';
import { lockLanes } from '@lockstep/orders/testing';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { refusalOf } from '../../harness/api.ts';
import { countWaitingForRows } from '../../harness/databases/waiting.ts';
import { firstLaneOf, newCustomersInLanes } from '../../harness/orders/lanes.ts';
import { batchOf, newAssetNum, newBuy } from '../../harness/orders/orders.ts';
import { countRows, readRecords, readResult, syncOf } from '../../harness/orders/sync-batches.ts';
import { testStack } from '../../harness/stack.ts';

/** Orders of a paused channel stay pending until an operator resumes it (rules 6.2 and 9). */

const { stack, api } = await testStack();
/** In different lanes of the channel `test`, which is paused and resumed. */
const [ours, neighbor] = (await newCustomersInLanes(api, 2)) as [Customer, Customer];
const theirs = await api.newCustomer(undefined, 'other');

const record = vi.fn(async () => {});
const pause = () => pauseChannel(stack.db, 'test', record);
const resume = () => resumeChannel(stack.db, 'test', record);
const isPaused = async () => {
  const { rows } = await sql`select from channel where code = 'test' and paused_time is not null`.execute(stack.db);
  return rows.length > 0;
};
beforeEach(async () => {
  await resume();
  record.mockClear();
});

describe('a pause', () => {
  it('takes effect at once, and returns when running drains have ended', async () => {
    const drain = await stack.db.startTransaction().execute();
    await lockLanes(drain, [firstLaneOf(ours.customerId)]);
    const pausing = pause();
    await vi.waitUntil(async () => (await countWaitingForRows(stack.db)) === 1);
    expect(await isPaused()).toBe(true);
    await drain.commit().execute();
    expect(await pausing).toEqual({ pausedTime: expect.any(Number), isNoOp: false, isIdle: true });
  });

  it('of a paused channel changes and records nothing, and so does resuming one that is not paused', async () => {
    const { pausedTime } = (await pause())!;
    expect(await pause()).toEqual({ pausedTime, isNoOp: true, isIdle: true });
    expect(await resume()).toEqual({ pausedTime: null, isNoOp: false });
    expect(await resume()).toEqual({ pausedTime: null, isNoOp: true });
    expect(record).toHaveBeenCalledTimes(2);
    expect(await pauseChannel(stack.db, 'nowhere', record)).toBeUndefined();
  });

  it('lets no order take effect after it has returned, under load', async () => {
    let isRunning = true;
    const sending = Array.from({ length: 4 }, async (_, index) => {
      const customer = await api.newCustomer();
      while (isRunning) {
        const batch = (index % 2 === 0 ? batchOf : syncOf)(newBuy(customer, [newAssetNum()]));
        const { code, cause } = (await api.submit(batch)).body;
        if (code !== 0) expect(cause).toBe('channel_paused');
      }
    });
    const countOurs = async () => {
      const { rows } = await sql<{ count: number }>`
        select count(*)::int as count from license_order join customer on customer.id = customer_id::bigint
        where channel_code = 'test'`.execute(stack.db);
      return rows[0]!.count;
    };
    for (let round = 0; round < 3; round++) {
      const before = await countOurs();
      await vi.waitUntil(async () => (await countOurs()) > before, 20_000);
      await pause();
      const paused = await countOurs();
      await api.process(batchOf(newBuy(theirs, [newAssetNum()])));
      expect(await countOurs()).toBe(paused);
      await resume();
    }
    isRunning = false;
    await Promise.all(sending);
  });
});

describe('while a channel is paused', () => {
  it('its orders stay pending, and the other orders of their batch take effect', async () => {
    const batch = batchOf(...[neighbor, ours, theirs].map((customer) => newBuy(customer, [newAssetNum()])));
    // The channel is paused in the middle of the batch.
    const drain = await stack.db.startTransaction().execute();
    await lockLanes(drain, [firstLaneOf(ours.customerId)]);
    await api.accept(batch);
    await vi.waitUntil(async () => (await readResult(api, batch)).pending === 1, 20_000);
    const pausing = pause();
    await vi.waitUntil(isPaused);
    await drain.commit().execute();
    await pausing;
    const later = batchOf(...[neighbor, ours].map((customer) => newBuy(customer, [newAssetNum()])));
    await api.accept(later);
    await api.process(batchOf(newBuy(theirs, [newAssetNum()])));
    // Calls share their reading of the channels for a second.
    await expect
      .poll(() => readResult(api, batch), { timeout: 10_000 })
      .toMatchObject({ state: 'processing', succeeded: 2, pending: 1, held: 0, estimatedCompletionTime: null });
    expect(await api.preview(batchOf(newBuy(ours, [newAssetNum()])))).toMatchObject([{ state: 'succeeded' }]);
    expect(await api.cancel(later)).toEqual({ cancelled: 2, finished: 0 });
    await resume();
    expect(await api.completed(batch)).toMatchObject({ succeeded: 3 });
  });

  it('sync calls for its customers are refused and store nothing; a resubmitted batch gets its answer', async () => {
    const stored = syncOf(newBuy(ours, [newAssetNum()]));
    const accepted = await api.accept(stored);
    await pause();
    const batches = await countRows(stack.db, 'batch');
    const call = syncOf(newBuy(theirs, [newAssetNum()]), newBuy(ours, [newAssetNum()]));
    const answer = await api.submit(call);
    expect(answer.headers.get('retry-after')).toBe('30');
    expect(refusalOf(answer)).toMatchObject({ code: '500', cause: 'channel_paused' });
    expect(await countRows(stack.db, 'batch')).toBe(batches);
    expect(await api.accept(stored)).toEqual(accepted);
    await resume();
    expect(await api.accept(call)).toHaveLength(2);
  });

  it('a sync call that was waiting for its lanes is refused, too', async () => {
    const drain = await stack.db.startTransaction().execute();
    await lockLanes(drain, [firstLaneOf(ours.customerId)]);
    await api.accept(batchOf(newBuy(ours, [newAssetNum()])));
    const calls = [syncOf(newBuy(ours, [newAssetNum()])), syncOf(newBuy(ours, [newAssetNum()]))];
    const countCalls = async () => (await sql`select from nonce`.execute(stack.db)).rows.length;
    const before = await countCalls();
    const answers = calls.map((call) => api.submit(call));
    await vi.waitUntil(async () => (await countCalls()) === before + 2);
    const pausing = pause();
    await vi.waitUntil(isPaused);
    await drain.commit().execute();
    await pausing;
    const refused = (await Promise.all(answers)).map((answer) => refusalOf(answer).cause);
    expect(refused).toEqual(['channel_paused', 'channel_paused']);
  });

  it('an asset can be transferred from it to a customer of another channel', async () => {
    const assetNum = newAssetNum();
    await api.accept(syncOf(newBuy(ours, [assetNum])));
    await pause();
    const taken = newBuy(theirs, [assetNum], {}, { transferedAssetNum: true });
    expect(await api.process(batchOf(taken))).toMatchObject([{ state: 'succeeded' }]);
    expect(await readRecords(stack.db, assetNum)).toEqual([{ customerId: theirs.customerId, active: true }]);
  });
});
