import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { CancelledBatch, Customer } from '@lockstep/contract';
import { freeLanes, lockLanes, readLocked } from '@lockstep/orders/testing';
import { run, type Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { type Api, dataOf, refusalOf } from '../../harness/api.ts';
import { countWaitingForRows } from '../../harness/databases/waiting.ts';
import { firstLaneOf, newCustomersInLanes } from '../../harness/orders/lanes.ts';
import { batchOf, deleteAsset, newAssetNum, newBuy } from '../../harness/orders/orders.ts';
import { endWaiting, syncOf, untilOneWaits, whileHeld } from '../../harness/orders/sync-batches.ts';
import { testStack } from '../../harness/stack.ts';

/** Calls that wait for a lane must not block other calls (rules 6.1, 6.3 and 6.6). */

const { stack, api } = await testStack({ worker: false });

/** Sends `count` calls and lets none pass its authorization until all have arrived. */
async function arrivingTogether<Answers>(count: number, sending: () => Promise<Answers>): Promise<Answers> {
  let arrived = 0;
  const note = () => arrived++;
  subscribe('http.server.request.start', note);
  const trx = await stack.db.startTransaction().execute();
  try {
    await sql`lock table nonce in share mode`.execute(trx);
    const sent = sending();
    sent.catch(() => {});
    await expect.poll(() => arrived).toBe(count);
    await trx.rollback().execute();
    return await sent;
  } finally {
    unsubscribe('http.server.request.start', note);
    if (!trx.isRolledBack) await trx.rollback().execute();
  }
}

const whileLaneIsHeld = (customer: Customer, work: () => Promise<void>) => whileLanesAreHeld([customer], work);

/** Holds customers' lanes, like a slow drain, while `work` runs. */
async function whileLanesAreHeld(customers: readonly Customer[], work: () => Promise<void>): Promise<void> {
  const trx = await stack.db.startTransaction().execute();
  try {
    await lockLanes(
      trx,
      customers.map(({ customerId }) => firstLaneOf(customerId)),
    );
    await work();
  } finally {
    await trx.rollback().execute();
  }
}

describe('while a lane is held', () => {
  it('sync calls of other lanes are answered, however many calls wait for it', async () => {
    const [held, ...others] = (await newCustomersInLanes(api, 4)) as [Customer, ...Customer[]];
    const waiting: Promise<unknown>[] = [];
    await whileLaneIsHeld(held, async () => {
      for (let count = 0; count < 20; count++) waiting.push(api.accept(syncOf(newBuy(held, [newAssetNum()]))));
      const both = syncOf(newBuy(held, [newAssetNum()]), newBuy(others[0]!, [newAssetNum()]));
      const answered = others.slice(1).map((other) => api.accept(syncOf(newBuy(other, [newAssetNum()]))));
      expect((await Promise.all(answered)).flat()).toHaveLength(others.length - 1);
      waiting.push(api.accept(both));
    });
    expect((await Promise.all(waiting)).flat()).toHaveLength(22);
  });

  it('sync calls of other lanes are answered, however many cancel calls wait for it', async () => {
    const [held, other] = (await newCustomersInLanes(api, 2)) as [Customer, Customer];
    const batches = Array.from({ length: 12 }, () => batchOf(newBuy(held, [newAssetNum()])));
    for (const batch of batches) await api.accept(batch);
    let cancels: ReturnType<Api['submitCancel']>[] = [];
    await whileLaneIsHeld(held, async () => {
      cancels = batches.map((batch) => api.submitCancel(batch));
      await api.accept(syncOf(newBuy(other, [newAssetNum()])));
    });
    const answers = await Promise.all(cancels);
    expect(answers.map((answer) => dataOf(answer))).toEqual(batches.map(() => ({ cancelled: 1, finished: 0 })));
  });

  it('a cancel of another application is answered, however many wait for it', async () => {
    const held = (await newCustomersInLanes(api, 4)) as [Customer, ...Customer[]];
    const free = held.pop()!;
    const waiting = held.map((customer) => batchOf(newBuy(customer, [newAssetNum()])));
    for (const batch of waiting) await api.accept(batch);
    const other = await stack.newApi();
    const batch = batchOf(newBuy(free, [newAssetNum()]));
    await other.accept(batch);
    const cancels: Promise<CancelledBatch>[] = [];
    await whileLanesAreHeld(held, async () => {
      cancels.push(...waiting.map((each) => api.cancel(each)));
      await expect.poll(() => countWaitingForRows(stack.db)).toBeGreaterThan(1);
      expect(await other.cancel(batch)).toEqual({ cancelled: 1, finished: 0 });
    });
    expect(await Promise.all(cancels)).toEqual(waiting.map(() => ({ cancelled: 1, finished: 0 })));
  });

  it('a resubmitted batch is answered at once, and so is other content under its key', async () => {
    const [held] = (await newCustomersInLanes(api, 1)) as [Customer];
    const batch = syncOf(newBuy(held, [newAssetNum()]));
    const accepted = await api.accept(batch);
    await api.accept(batchOf(newBuy(held, [newAssetNum()])));
    await whileLaneIsHeld(held, async () => {
      expect(await api.accept(batch)).toEqual(accepted);
      const other = await api.submit({ ...batch, orderList: [newBuy(held, [newAssetNum()])] });
      expect(refusalOf(other).cause).toBe('channel_order_id_conflict');
    });
  });
});

describe('a call of several lanes', () => {
  const tryLanes = async (trx: Trx, lanes: readonly number[]) => readLocked(await run(trx, freeLanes(lanes)));
  const buyForEach = (customers: Customer[]) =>
    syncOf(...customers.map((customer) => newBuy(customer, [newAssetNum()])));

  it('takes effect even if other calls hold each lane nearly all of the time', async () => {
    const customers = await newCustomersInLanes(api, 4);
    let isOver = false;
    // Hold the lanes like drains of a backlog.
    const holding = customers.map(async ({ customerId }) => {
      const lane = firstLaneOf(customerId);
      while (!isOver) {
        await stack.db.transaction().execute(async (trx) => {
          if ((await tryLanes(trx, [lane])).length > 0) await sql`select pg_sleep(0.1)`.execute(trx);
        });
      }
    });
    expect(await api.accept(buyForEach(customers)).finally(() => (isOver = true))).toHaveLength(4);
    await Promise.all(holding);
  });
});

describe('concurrent calls', () => {
  it('share a transaction, and none fails when its connection is lost', async () => {
    const customers = await newCustomersInLanes(api, 4);
    const calls = customers.map((customer) => syncOf(newBuy(customer, [newAssetNum()])));
    const answers = await whileHeld(stack.db, 'insert', async () => {
      const answering = arrivingTogether(4, () => Promise.all(calls.map((call) => api.accept(call))));
      await untilOneWaits(stack.db);
      await endWaiting(stack.db);
      return { answering };
    });
    expect((await answers.answering).flat()).toHaveLength(4);
  });

  it('share a transaction across their lanes, and a failing call fails alone', async () => {
    const customers = await newCustomersInLanes(api, 4);
    const repeat = syncOf(newBuy(customers[0]!, [newAssetNum()]));
    const accepted = await api.accept(repeat);
    const before = countApplied();
    const calls = Array.from({ length: 40 }, (_, index) => syncOf(newBuy(customers[index % 4]!, [newAssetNum()])));
    const failing = syncOf(deleteAsset(customers[3]!, [newAssetNum()]));
    const [fails, repeated, ...answers] = await arrivingTogether(42, () =>
      Promise.all([api.submit(failing), api.accept(repeat), ...calls.map((call) => api.accept(call))]),
    );
    expect(refusalOf(fails).cause).toBe('asset_not_found');
    expect(repeated).toEqual(accepted);
    expect(new Set(answers.flat().map(({ licenseOrderId }) => licenseOrderId)).size).toBe(40);
    // How many share depends on who holds a lane when they arrive. Alone, each would take one.
    expect(countApplied() - before).toBeLessThan(40);
  });
});

it('a call that waits for a locked asset does not block calls of other lanes', async () => {
  const [held, ...others] = (await newCustomersInLanes(api, 4)) as [Customer, ...Customer[]];
  const assetNum = newAssetNum();
  await api.accept(syncOf(newBuy(held, [assetNum])));
  const trx = await stack.db.startTransaction().execute();
  let waiting: Promise<unknown>;
  try {
    await sql`select from asset where asset_num = ${assetNum} for update`.execute(trx);
    waiting = api.accept(syncOf(newBuy(held, [assetNum])));
    const calls = Array.from({ length: 30 }, (_, index) => syncOf(newBuy(others[index % 3]!, [newAssetNum()])));
    expect(await Promise.all(calls.map((call) => api.accept(call)))).toHaveLength(30);
  } finally {
    await trx.rollback().execute();
  }
  expect(await waiting).toHaveLength(1);
});

/** Counts the sync transactions in the log. */
const countApplied = () => stack.logLines.filter((line) => line.includes('"applied"')).length;
