import { LedgerIds } from '@lockstep/assets';
import { BatchOrder, BatchResultQuery, type Customer, type CustomerId } from '@lockstep/contract';
import { pauseChannel, prepareBatch, resumeChannel, retryFailedOrders } from '@lockstep/orders';
import { readHoldsAndStalls } from '@lockstep/orders/operator';
import { applyCalls, drainLanes, freeLanes, lockLanes, readPages } from '@lockstep/orders/testing';
import { Deadline, type Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type Api, dataOf, refusalOf } from '../harness/api.ts';
import { failOrders } from '../harness/databases/unchecked.ts';
import { countWaitingForRows } from '../harness/databases/waiting.ts';
import { FIRST_CHANNEL, firstLaneOf, newCustomersInLanes, newNeighborInLane } from '../harness/orders/lanes.ts';
import { batchOf, deleteAsset, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { allowStrict, buyStrict, refuseStrict, STRICT } from '../harness/orders/strict-orders.ts';
import { readResult, syncOf } from '../harness/orders/sync-batches.ts';
import { type Stack, testStack } from '../harness/stack.ts';

/** Orders that can't be applied hold their own customers only (rules 6.2). */

const PATIENTLY = { timeout: 60_000 };
const WARN = 40;

let stack: Stack;
let api: Api;
/** All in one lane. */
let held: Customer;
let other: Customer;

beforeEach(async () => {
  ({ stack, api } = await testStack({ worker: false }));
  held = await api.newCustomer();
  other = await newNeighbor();
});

const newNeighbor = () => newNeighborInLane(api, held);
const run = (statements: string) => sql.raw(statements).execute(stack.db);
const mend = () => allowStrict(stack.db);
const buy = (customer: Customer) => newBuy(customer, [newAssetNum()]);

async function accept(...orders: Parameters<typeof batchOf>) {
  const batch = batchOf(...orders);
  await api.accept(batch);
  return batch;
}

const readHolds = () => stack.db.selectFrom('order_hold').selectAll().orderBy('since').execute();
const untilHeld = (count: number) => vi.waitUntil(async () => (await readHolds()).length === count, PATIENTLY);
const makeDue = () => sql`update order_hold set next_try = now()`.execute(stack.db);

/** Accepts a batch, and fails one of its orders as an operator does. */
async function acceptEnding(index: number, ...orders: Parameters<typeof batchOf>) {
  const batch = batchOf(...orders);
  const { licenseOrderId } = (await api.accept(batch))[index]!;
  await failOrders(stack.db, [licenseOrderId]);
  return { batch, licenseOrderId };
}

/** Postpones the retries of holds past the end of the test, as after ten failures, the last a minute ago. */
const postpone = () => sql`update order_hold set tries = 10, next_try = now() + interval '4 minutes'`.execute(stack.db);

describe('an order that fails while others succeed', () => {
  it('holds its customer, as results show, and takes effect in its order when it can be applied', async () => {
    await stack.startWorker();
    await refuseStrict(stack.db);
    const assetNum = newAssetNum();
    const batch = await accept(buy(held), buyStrict(held, assetNum), deleteAsset(held, [assetNum]), buy(other));
    const later = await accept(newBuy(held, [assetNum]), buy(other));
    await vi.waitUntil(async () => (await readResult(api, later)).held === 1, PATIENTLY);
    const result = await readResult(api, batch);
    const [{ since, license_order_id, last_error }] = (await readHolds()) as [Awaited<ReturnType<typeof readHolds>>[0]];
    expect(result).toMatchObject({ state: 'processing', succeeded: 2, pending: 2, held: 2 });
    expect(result.orders.map(({ state, heldSince }) => [state, heldSince])).toEqual([
      ['succeeded', null],
      ['pending', since.getTime()],
      ['pending', since.getTime()],
      ['succeeded', null],
    ]);
    expect(license_order_id).toBe(result.orders[1]!.licenseOrderId);
    expect(last_error).toContain('stricter');
    const single = await api.call('GET', `/licenseOrder/${license_order_id}`);
    expect(dataOf(single)).toMatchObject({ state: 'pending', heldSince: since.getTime() });

    await mend();
    expect(await api.completed(batch)).toMatchObject({ succeeded: 4, held: 0 });
    expect(await api.completed(later)).toMatchObject({ succeeded: 2 });
    await untilHeld(0);
    expect(await stack.db.selectFrom('held_order').selectAll().execute()).toEqual([]);
  });

  it('holds its customer for all workers, even after the worker that found it is gone', async () => {
    const worker = await stack.startWorker();
    await refuseStrict(stack.db);
    const batch = await accept(buyStrict(held), buy(held), buy(other));
    await untilHeld(1);
    await worker.close();
    await Promise.all([stack.startWorker(), stack.startWorker()]);
    const beside = await accept(buy(other));
    expect(await api.completed(beside)).toMatchObject({ succeeded: 1 });
    expect(await readResult(api, batch)).toMatchObject({ succeeded: 1, held: 2 });
    await mend();
    expect(await api.completed(batch)).toMatchObject({ succeeded: 3 });
  });

  it('is retried after growing pauses, logged once, and all held orders at once when one succeeds', async () => {
    const worker = await stack.startWorker();
    await refuseStrict(stack.db);
    const customers = [held, other, await newNeighbor()];
    const batch = await accept(...customers.map((customer) => buyStrict(customer)), buy(await newNeighbor()));
    await untilHeld(3);
    await vi.waitUntil(async () => (await readHolds()).every(({ tries }) => tries >= 2), PATIENTLY);
    for (const { tries, next_try } of await readHolds()) {
      const { rows } = await sql<{ seconds: number }>`
        select extract(epoch from ${next_try}::timestamptz - now())::float8 as seconds`.execute(stack.db);
      expect(rows[0]!.seconds).toBeLessThanOrEqual(2 ** (tries - 1));
    }
    const warned = stack.logLines.map((line) => JSON.parse(line)).filter(({ level }) => level >= WARN);
    expect(warned.map(({ msg }) => msg)).toEqual(Array(3).fill('order held; will retry'));
    expect(worker.stalledBy()).toBeNull();
    expect(await readResult(api, batch)).toMatchObject({ state: 'processing', succeeded: 1, failed: 0, pending: 3 });
    await postpone();
    await mend();
    await sql`update order_hold set next_try = now() where customer_id = ${held.customerId}`.execute(stack.db);
    expect(await api.completed(batch)).toMatchObject({ succeeded: 4 });
  });

  it('refuses sync calls of its customer, and no others', async () => {
    await stack.startWorker();
    await refuseStrict(stack.db);
    await accept(buyStrict(held), buy(other));
    await untilHeld(1);
    await postpone();
    expect(refusalOf(await api.submit(syncOf(buy(held)))).cause).toBe('service_unavailable');
    expect(refusalOf(await api.submit(syncOf(buy(other), buy(held)))).cause).toBe('service_unavailable');
    expect(await api.accept(syncOf(buy(other)))).toHaveLength(1);
  });

  it('can be cancelled, and then the orders behind it are applied', async () => {
    await stack.startWorker();
    await refuseStrict(stack.db);
    const batch = await accept(buyStrict(held), buy(held), buy(other));
    const later = await accept(buy(held));
    await vi.waitUntil(async () => (await readResult(api, later)).held === 1, PATIENTLY);
    expect(await api.cancel(batch)).toEqual({ cancelled: 2, finished: 1 });
    expect(await readResult(api, batch)).toMatchObject({ state: 'completed', failed: 2, held: 0 });
    expect(await api.completed(later)).toMatchObject({ succeeded: 1 });
    expect(await readHolds()).toEqual([]);
  });

  it('blocks only its customer, even with more orders than a drain takes', async () => {
    await stack.startWorker();
    await refuseStrict(stack.db);
    const batch = await accept(...Array.from({ length: 2_000 }, () => buyStrict(held)));
    expect(await api.process(batchOf(buy(other)))).toMatchObject([{ state: 'succeeded' }]);
    expect(await readResult(api, batch)).toMatchObject({ state: 'accepted', pending: 2_000 });
  });

  it('is not held if its cause is transient, but others of its lane are applied after some time', async () => {
    await run(`create function fail() returns trigger language plpgsql as $$ begin
        raise sqlstate '53200' using message = 'made to fail';
      end $$;
      create trigger fail before insert on product_instance for each row when (new.crm_product_id = 'Strict')
        execute function fail()`);
    await stack.startWorker();
    const batch = await accept(buyStrict(held), buy(other));
    await vi.waitUntil(async () => (await readResult(api, batch)).succeeded === 1, PATIENTLY);
    expect(await readResult(api, batch)).toMatchObject({ pending: 1, held: 0 });
    expect(await readHolds()).toEqual([]);
    await run('drop function fail cascade');
    expect(await api.completed(batch)).toMatchObject({ succeeded: 2 });
  });
});

describe('a held order of a paused channel', () => {
  const record = async () => {};
  let theirs: Customer;

  /** Creates a held order with another one behind it, and pauses their channel. */
  async function pauseHeld() {
    theirs = await api.newCustomer(undefined, 'theirs');
    await stack.startWorker();
    await refuseStrict(stack.db);
    const batch = await accept(buyStrict(held), buy(held), buy(other));
    await vi.waitUntil(async () => (await readResult(api, batch)).held === 2, PATIENTLY);
    await pauseChannel(stack.db, 'test', record);
    return { batch, licenseOrderId: (await readResult(api, batch)).orders[0]!.licenseOrderId };
  }
  /** Makes workers look at due holds and at orders that aren't held. */
  async function letWorkersLook() {
    await makeDue();
    for (let count = 0; count < 3; count++) expect(await api.process(batchOf(buy(theirs)))).toHaveLength(1);
  }

  it('can be failed by an operator; when retried, it stays pending until the channel is resumed', async () => {
    const { batch, licenseOrderId } = await pauseHeld();
    expect(await failOrders(stack.db, [licenseOrderId])).toMatchObject({ outcome: 'failed' });
    await letWorkersLook();
    expect(await readResult(api, batch)).toMatchObject({ succeeded: 1, failed: 1, pending: 1 });
    await mend();
    expect(await retryFailedOrders(stack.db, [licenseOrderId])).toEqual({ retried: 1, notRetried: [] });
    await letWorkersLook();
    expect(await readResult(api, batch)).toMatchObject({ succeeded: 1, failed: 0, pending: 2 });
    await resumeChannel(stack.db, 'test', record);
    expect(await api.completed(batch)).toMatchObject({ succeeded: 3 });
  });

  it('stays pending even if it could be applied, while other orders are previewed and cancelled', async () => {
    const { batch } = await pauseHeld();
    const later = await accept(buy(held));
    await mend();
    await letWorkersLook();
    expect(await readResult(api, batch)).toMatchObject({ succeeded: 1, pending: 2, held: 2 });
    expect(await api.preview(batchOf(buy(held)))).toMatchObject([{ state: 'succeeded' }]);
    expect(await api.cancel(later)).toEqual({ cancelled: 1, finished: 0 });
    await resumeChannel(stack.db, 'test', record);
    expect(await api.completed(batch)).toMatchObject({ succeeded: 3 });
  });
});

describe('while no order succeeds', () => {
  it('no customer is held, the console shows it, and further customers are tried until one succeeds', async () => {
    await refuseStrict(stack.db);
    const failing = await Promise.all(Array.from({ length: 10 }, newNeighbor));
    // Together they exceed the weight of a group, so the last one joins a group only after the others are held.
    const batches = [];
    for (const customer of failing) {
      batches.push(await accept(...Array.from({ length: 270 }, () => buyStrict(customer))));
    }
    const worker = await stack.startWorker();
    await vi.waitUntil(() => worker.stalledBy() !== null, PATIENTLY);
    expect((await readHoldsAndStalls(stack.db)).stalledLanes).toBe(1);
    expect(await readHolds()).toEqual([]);
    const behind = await accept(buy(other));
    expect(await api.completed(behind)).toMatchObject({ succeeded: 1 });
    await untilHeld(10);
    await vi.waitUntil(() => worker.stalledBy() === null, PATIENTLY);
    expect((await readHoldsAndStalls(stack.db)).stalledLanes).toBe(0);
    await mend();
    for (const batch of batches) expect(await api.completed(batch)).toMatchObject({ succeeded: 270 });
  });
});

it('a lone failing order is held, but not while an order of a lane beside it fails, too', async () => {
  const [failing, beside] = (await newCustomersInLanes(api, 2)) as [Customer, Customer];
  await refuseStrict(stack.db);
  await accept(buyStrict(failing));
  const batch = await accept(buyStrict(beside));
  const worker = await stack.startWorker();
  await vi.waitUntil(() => worker.stalledBy() !== null, PATIENTLY);
  expect(await readHolds()).toEqual([]);
  expect(await api.cancel(batch)).toEqual({ cancelled: 1, finished: 0 });
  await untilHeld(1);
  expect(await readHolds()).toMatchObject([{ customer_id: failing.customerId }]);
  await vi.waitUntil(() => worker.stalledBy() === null, PATIENTLY);
});

describe('orders that cannot be read', () => {
  const spoil = (payload: string) => sql`update lane_chunk set payload = ${payload}`.execute(stack.db);
  const makeUnknown = () => sql`update lane_chunk set payload_version = 2`.execute(stack.db);

  it('are all applied once, even if another order is retried beside them when they can be read', async () => {
    const { batch, licenseOrderId } = await acceptEnding(0, buy(await newNeighbor()), buy(held), buy(other));
    await makeUnknown();
    const worker = await stack.startWorker();
    await untilHeld(2);
    await worker.close();
    await sql`update held_order set payload_version = 1`.execute(stack.db);
    expect(await retryFailedOrders(stack.db, [licenseOrderId])).toEqual({ retried: 1, notRetried: [] });
    await stack.startWorker();
    expect(await api.completed(batch)).toMatchObject({ succeeded: 3 });
    expect(await readHolds()).toEqual([]);
  });

  it.each(['held', 'not held yet'])('can be cancelled: %s', async (state) => {
    const batch = await accept(buy(held), buy(other));
    await spoil('{"spoiled": true}');
    const later = state === 'held' ? await accept(buy(held)) : null;
    if (later !== null) {
      await stack.startWorker();
      await vi.waitUntil(async () => (await readResult(api, later)).held === 1, PATIENTLY);
    }
    expect(await api.cancel(batch)).toEqual({ cancelled: 2, finished: 0 });
    expect(await readResult(api, batch)).toMatchObject({ state: 'completed', failed: 2, held: 0 });
    if (later !== null) expect(await api.completed(later)).toMatchObject({ succeeded: 1 });
    expect(await readHolds()).toEqual([]);
  });
});

it('a retried order takes effect before the held orders behind it', async () => {
  const assetNum = newAssetNum();
  const { batch, licenseOrderId } = await acceptEnding(0, newBuy(held, [assetNum]), buy(other));
  await refuseStrict(stack.db);
  const later = await accept(buyStrict(held), deleteAsset(held, [assetNum]));
  const worker = await stack.startWorker();
  await vi.waitUntil(async () => (await readResult(api, later)).held === 2, PATIENTLY);
  await worker.close();
  await mend();
  await retryFailedOrders(stack.db, [licenseOrderId]);
  await makeDue();
  await stack.startWorker();
  expect(await api.completed(later)).toMatchObject({ succeeded: 2 });
  expect(await api.completed(batch)).toMatchObject({ succeeded: 2 });
});

it('many holds in a locked lane do not block holds of other lanes', async () => {
  const [stuck, free] = (await newCustomersInLanes(api, 2)) as [Customer, Customer];
  await refuseStrict(stack.db);
  const batch = await accept(buyStrict(free), buy(await api.newCustomer()));
  const worker = await stack.startWorker();
  await untilHeld(1);
  await worker.close();
  await mend();
  await makeDue();
  const lane = firstLaneOf(stuck.customerId);
  await sql`
    insert into order_hold (customer_id, lane, license_order_id, next_try, last_error)
    select 'stuck ' || place, ${lane}, 1, now() - interval '1 hour', 'made to fail'
    from generate_series(1, 200) as place`.execute(stack.db);
  await stack.db.transaction().execute(async (trx) => {
    await lockLanes(trx, [lane]);
    await stack.startWorker();
    expect(await api.completed(batch)).toMatchObject({ succeeded: 2 });
  });
  await sql`delete from order_hold`.execute(stack.db);
});

describe('retries of held orders take turns by channel', () => {
  /**
   * Creates a held order of another channel beside other held orders, which have been due for an hour when it becomes
   * due. No worker runs.
   */
  async function holdBeside(orders: Parameters<typeof batchOf>) {
    await refuseStrict(stack.db);
    await accept(...orders, buy(other));
    const beside = await accept(buyStrict(await api.newCustomer(undefined, 'beside')));
    const worker = await stack.startWorker();
    const readHeld = () => stack.db.selectFrom('held_order').selectAll().execute();
    await vi.waitUntil(async () => (await readHeld()).length === orders.length + 1, PATIENTLY);
    await worker.close();
    await mend();
    await sql`
      update order_hold set tries = 1,
        next_try = now() - case lane / 4 when ${FIRST_CHANNEL} then interval '1 h' else '0 s' end`.execute(stack.db);
    return beside;
  }

  it('if they have to wait for a row', async () => {
    const customers = await Promise.all(Array.from({ length: 10 }, newNeighbor));
    const numbers = customers.map(() => newAssetNum());
    const buyAgain = (more: Parameters<typeof newBuy>[3]) =>
      customers.map((customer, index) => newBuy(customer, [numbers[index]!], {}, more));
    await api.accept(syncOf(...buyAgain({})));
    const beside = await holdBeside(buyAgain(STRICT));
    await stack.db.transaction().execute(async (trx) => {
      await sql`select from asset for update`.execute(trx);
      await stack.startWorker();
      await api.completed(beside);
      // Waiting without success doesn't count as a failure, so it doesn't lengthen the pause.
      const { rows } = await sql`select from order_hold where tries > 1`.execute(trx);
      expect(rows).toEqual([]);
    });
    await untilHeld(0);
  });

  it('and queue for a lane that a backlog leaves free only for a moment', async () => {
    const waiting = await newNeighbor();
    const beside = await holdBeside([buyStrict(waiting)]);
    await stack.db.transaction().execute(async (trx) => {
      await lockLanes(trx, [firstLaneOf(waiting.customerId)]);
      await stack.startWorker();
      await vi.waitUntil(async () => (await countWaitingForRows(stack.db)) > 0, PATIENTLY);
    });
    expect(await api.completed(beside)).toMatchObject({ succeeded: 1 });
    await untilHeld(0);
  });

  it('if one customer has many orders that succeed', async () => {
    const mine = await api.newCustomer();
    const beside = await holdBeside([buyStrict(mine), ...Array.from({ length: 599 }, () => buy(mine))]);
    await stack.startWorker();
    const { orders } = await api.completed(beside);
    await untilHeld(0);
    const { rows } = await sql<{ before: number }>`
      select count(*)::int as before from license_order
      where customer_id = ${mine.customerId}
      and finished_time < to_timestamp(${orders[0]!.finishedTime} / 1000.0)`.execute(stack.db);
    // What one transaction applies.
    expect(rows[0]!.before).toBeLessThanOrEqual(250);
  });
});

describe('a sync call that fails alone', () => {
  it('is refused with internal_error, and nothing is stored', async () => {
    await refuseStrict(stack.db);
    const call = syncOf(buyStrict(held));
    expect(refusalOf(await api.submit(call))).toMatchObject({ code: '500', cause: 'internal_error' });
    await mend();
    expect(await api.accept(call)).toHaveLength(1);
  });

  it('fails alone beside successful calls', async () => {
    await refuseStrict(stack.db);
    const calls = [other, held, await newNeighbor()].map((customer, index) =>
      api.submit(syncOf(index === 1 ? buyStrict(customer) : buy(customer))),
    );
    const answers = await Promise.all(calls);
    expect(refusalOf(answers[1]!).cause).toBe('internal_error');
    expect(dataOf(answers[0]!)).toHaveLength(1);
    expect(dataOf(answers[2]!)).toHaveLength(1);
  });
});

describe('in one lane', () => {
  const lane = () => firstLaneOf(held.customerId);
  /** Counts the table rows that `work` reads in a transaction. Rolls the transaction back. */
  async function countReads(work: (trx: Trx) => Promise<unknown>): Promise<number> {
    const trx = await stack.db.startTransaction().execute();
    const read = async () => {
      const { rows } = await sql<{ reads: string }>`
        select sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) as reads from pg_stat_xact_user_tables`.execute(trx);
      return Number(rows[0]!.reads);
    };
    try {
      const before = await read();
      await work(trx);
      return (await read()) - before;
    } finally {
      await trx.rollback().execute();
    }
  }

  async function measure() {
    const { channelCode, channelOrderId } = await accept(buy(other));
    const { id: applicationId } = await stack.db.selectFrom('application').select('id').executeTakeFirstOrThrow();
    const query = BatchResultQuery.parse({ channelCode, channelOrderId });
    const ofPoll = await countReads((trx) => readPages(trx, [{ applicationId, query, knownCompletion: null }]));
    const ofDrain = await countReads((trx) => drainLanes(trx, freeLanes([lane()]), new LedgerIds()));
    await drainLanes(stack.db, freeLanes([lane()]), new LedgerIds());
    const { orderList, ...sent } = BatchOrder.parse(syncOf(buy(other)));
    const channelIds = new Map([[other.customerId, FIRST_CHANNEL]]);
    const prepared = prepareBatch(applicationId, { ...sent, orderList }, channelIds);
    const batch = { ...prepared, requestId: 'request', traceparent: null };
    const deadline = new Deadline(60_000);
    const call = {
      batch,
      orders: orderList,
      channels: null,
      deadline,
      isNext: false,
      isRunning: true,
      isUnclear: false,
    };
    const ofSync = await countReads(async (trx) => {
      expect((await applyCalls(trx, [call], new LedgerIds())).newBatches).toHaveLength(1);
    });
    deadline.end();
    return { ofPoll, ofDrain, ofSync };
  }

  async function expectReads(before: Awaited<ReturnType<typeof measure>>, more: number) {
    const after = await measure();
    for (const what of ['ofPoll', 'ofDrain', 'ofSync'] as const) {
      expect(before[what]).toBeGreaterThan(0);
      expect(after[what]).toBeLessThanOrEqual(before[what] + more);
    }
  }

  it.each([
    ['customers', 5],
    // Allows for full reads of small tables after an analyze: far fewer rows than the 1,000 chunks.
    ['orders of one customer', 100],
  ])('with 10,000 held %s, drains, sync calls and polls of others read as much as without', async (what, more) => {
    await measure();
    const before = await measure();
    const customerIds: string[] = [];
    for (let id = 5_000_000; customerIds.length < 10_000; id++) {
      if (what !== 'customers') customerIds.push(held.customerId);
      else if (firstLaneOf(String(id) as CustomerId) === lane()) customerIds.push(String(id));
    }
    await sql`
      insert into order_hold (customer_id, lane, license_order_id, next_try, last_error)
      select distinct id, ${lane()}::int, 1, now() + interval '1 day', 'made to fail'
      from unnest(${customerIds}::text[]) as id`.execute(stack.db);
    await sql`
      insert into held_order (license_order_id, customer_id, batch_id, lane, sequence, payload_version, content)
      select place, id, 0, ${lane()}, place, 1, '[]'
      from unnest(${customerIds}::text[]) with ordinality as held (id, place)`.execute(stack.db);
    // PostgreSQL reads a small table sequentially, so this needs many chunks.
    await sql`
      with held as (
        insert into batch (id, application_id, channel_code, channel_order_id, sync_mode, digest, sequences,
          customer_ids, order_types, digest_version, request_id)
        select nextval('batch_id'), id, 'test', 'held ' || number, 'async', '', '{1}', '{1}', '{new_buy}', 1, 'R'
        from application cross join generate_series(1, 1000) as number returning id
      )
      insert into lane_chunk (batch_id, lane, customer_ids, order_count, weight, payload, payload_version, is_held)
      select id, ${lane()}, '{}', 1, 1, '[]', 1, true from held`.execute(stack.db);
    await run('analyze lane_chunk; analyze order_hold; analyze held_order; analyze batch');
    await expectReads(before, more);
  });
});
