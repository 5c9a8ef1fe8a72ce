import { type AcceptedOrder, type ApplicationId, BatchOrder, buildMessage, type Customer } from '@lockstep/contract';
import { BatchAcceptor, type JobAnnouncer, type PendingBound, prepareBatch, retryFailedOrders } from '@lockstep/orders';
import { countActivity, laneOf } from '@lockstep/orders/testing';
import { Deadline } from '@lockstep/platform';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type Api, dataOf, refusalOf } from '../../harness/api.ts';
import { checkNumbers } from '../../harness/databases/numbers.ts';
import {
  acceptUnchecked,
  completedByFailing,
  failOrders,
  refusedByPostgres,
} from '../../harness/databases/unchecked.ts';
import { FIRST_CHANNEL, newCustomersInLanes } from '../../harness/orders/lanes.ts';
import { batchOf, deleteAsset, newAssetNum, newBuy } from '../../harness/orders/orders.ts';
import { readResult, syncOf } from '../../harness/orders/sync-batches.ts';
import { type Stack, testStack } from '../../harness/stack.ts';

/** Orders whose customer doesn't exist for the application at acceptance (rules 6.2). */
let stack: Stack;
let api: Api;

beforeEach(async () => {
  ({ stack, api } = await testStack({ worker: false, webhookAllowPrivate: true }));
});

/** Returns the customer that will be created next, as the API will show it. */
async function nextCustomer() {
  const { customerId, ...last } = await api.newCustomer();
  return { ...last, customerId: String(Number(customerId) + 1) } as typeof last & { customerId: typeof customerId };
}

/** Creates the next customer in the same enterprise. */
async function create(next: Awaited<ReturnType<typeof nextCustomer>>) {
  expect((await api.newCustomer(next.enterpriseName)).customerId).toBe(next.customerId);
}

/** The batch of one purchase by a customer that doesn't exist, and of others by one that does. */
async function mixedBatch(...known: ReturnType<typeof newBuy>[]) {
  const customer = await nextCustomer();
  return { customer, batch: batchOf(newBuy(customer, [newAssetNum()]), ...known) };
}

const readChunks = () =>
  stack.db.selectFrom('lane_chunk').select(['lane', 'order_count as orders', 'failed']).orderBy('lane').execute();

const notFound = { state: 'failed', cause: 'customer_not_found' };
const succeeded = { state: 'succeeded' };

describe('an order of an unknown customer', () => {
  it('fails when it is accepted, and its batch is completed, without a worker', async () => {
    const customer = await nextCustomer();
    const [gone, other] = [deleteAsset(customer, [newAssetNum()], { sequence: 2 }), newBuy(customer, [newAssetNum()])];
    const batch = batchOf(gone, { ...other, sequence: 1 });
    const accepted = await api.accept(batch);
    const result = await readResult(api, batch);
    expect(result).toMatchObject({ state: 'completed', succeeded: 0, failed: 2, pending: 0 });
    const message = buildMessage('customer_not_found', customer.customerId);
    expect(result.orders).toMatchObject(
      accepted.map(({ licenseOrderId, sequence }) => ({ licenseOrderId, sequence, ...notFound, message, assets: 0 })),
    );
    expect(result.completedTime).toBeGreaterThanOrEqual(result.acceptedTime);
    expect(await readChunks()).toEqual([]);
    expect(stack.logLines.filter((line) => line.includes('"failed":2'))).toHaveLength(1);
    expect((await stack.metrics.ordersApplied.get()).values).toMatchObject([
      { labels: { outcome: 'failed' }, value: 2 },
    ]);
  });

  it('is returned as it was sent, and found by its asset numbers', async () => {
    const [customer, assetNum] = [await nextCustomer(), newAssetNum()];
    const batch = batchOf(newBuy(customer, [assetNum, newAssetNum()]));
    const [order] = await api.accept(batch);
    const { channelCode, channelOrderId } = batch;
    const failed = dataOf(await api.ask('getFailedOrders', { query: { channelCode, channelOrderId } }));
    expect(failed.orderList).toMatchObject(batch.orderList);
    const { orders } = dataOf(await api.ask('listOrders', { query: { assetNum } }));
    expect(orders).toMatchObject([{ licenseOrderId: order!.licenseOrderId, ...notFound }]);
  });

  it('has failed, whatever is created later, and a resubmitted batch gets the same answer', async () => {
    const customer = await nextCustomer();
    const early = batchOf(newBuy(customer, [newAssetNum()]));
    const accepted = await api.accept(early);
    await create(customer);
    expect(await api.accept(early)).toEqual(accepted);
    const later = batchOf(newBuy(customer, [newAssetNum()]));
    await api.accept(later);
    await stack.startWorker();
    expect((await api.completed(later)).orders).toMatchObject([succeeded]);
    expect((await readResult(api, early)).orders).toMatchObject([notFound]);
    expect(dataOf(await api.ask('getEvents')).events).toHaveLength(2);
  });

  it('cannot be cancelled, ended or retried', async () => {
    const batch = batchOf(newBuy(await nextCustomer(), [newAssetNum()]));
    const [{ licenseOrderId }] = (await api.accept(batch)) as [AcceptedOrder];
    expect(await api.cancel(batch)).toEqual({ cancelled: 0, finished: 1 });
    expect(await failOrders(stack.db, [licenseOrderId])).toMatchObject({ outcome: 'not_pending' });
    const reason = { licenseOrderId, reason: 'failed', cause: 'customer_not_found' };
    expect(await retryFailedOrders(stack.db, [licenseOrderId])).toEqual({ retried: 0, notRetried: [reason] });
  });

  it('is counted as accepted and failed, and never as pending', async () => {
    const { batch } = await mixedBatch(newBuy(await api.newCustomer(), [newAssetNum()]));
    await api.accept(batch);
    await api.accept(batchOf(newBuy(await nextCustomer(), [newAssetNum()])));
    await countActivity(stack.db);
    const { rows } = await sql`
      select sum(accepted)::int as accepted, sum(failed)::int as failed,
        (select sum(pending)::int from pending_orders) as pending,
        (select json_object_agg(cause, failed) from failure_activity) as causes
      from order_activity`.execute(stack.db);
    expect(rows).toEqual([{ accepted: 3, failed: 2, pending: 1, causes: { customer_not_found: 2 } }]);
    expect(await checkNumbers(stack.db)).toEqual([]);
  });

  it('whose customerId no customer can have does not affect other calls', async () => {
    const customer = await api.newCustomer();
    const impossible = { ...customer, customerId: '9999999999999999999' as typeof customer.customerId };
    const batches = [impossible, customer].map((each) => batchOf(newBuy(each, [newAssetNum()])));
    await Promise.all(batches.map((batch) => api.accept(batch)));
    expect((await readResult(api, batches[0]!)).orders).toMatchObject([notFound]);
    expect(await readResult(api, batches[1]!)).toMatchObject({ pending: 1 });
  });
});

describe('a batch in which only some customers are unknown', () => {
  it('counts their orders at once, and is completed with the others', async () => {
    const known = await newCustomersInLanes(api, 3);
    const { batch, customer } = await mixedBatch(...known.map((each) => newBuy(each, [newAssetNum()])));
    await api.accept(batch);
    await create(customer);
    expect(await readResult(api, batch)).toMatchObject({ state: 'processing', failed: 1, pending: 3 });
    expect(await readChunks()).toMatchObject([{ lane: 0, orders: 1, failed: 1 }, ...known.map(() => ({ failed: 0 }))]);
    await stack.startWorker();
    const result = await api.completed(batch);
    expect(result).toMatchObject({ succeeded: 3, failed: 1 });
    expect(result.orders).toMatchObject([notFound, ...known.map(() => succeeded)]);
    expect(await readChunks()).toEqual([]);
    const { events } = dataOf(await api.ask('getEvents', { query: { waitSeconds: '30' } }));
    expect(events).toMatchObject([{ data: { succeeded: 3, failed: 1 } }]);
  });

  it('is completed by a cancel', async () => {
    const { batch } = await mixedBatch(newBuy(await api.newCustomer(), [newAssetNum()]));
    await api.accept(batch);
    expect(await api.cancel(batch)).toEqual({ cancelled: 1, finished: 1 });
    const result = await readResult(api, batch);
    expect(result).toMatchObject({ state: 'completed', failed: 2 });
    expect(result.orders).toMatchObject([notFound, { cause: 'cancelled' }]);
  });

  it('is completed again after a retry of the others', async () => {
    const { batch } = await mixedBatch(newBuy(await api.newCustomer(), [newAssetNum()]));
    const [, order] = await api.accept(batch);
    await failOrders(stack.db, [order!.licenseOrderId]);
    expect(await readResult(api, batch)).toMatchObject({ state: 'completed', failed: 2 });
    expect(await retryFailedOrders(stack.db, [order!.licenseOrderId])).toMatchObject({ retried: 1 });
    expect(await readResult(api, batch)).toMatchObject({ state: 'processing', failed: 1, pending: 1 });
    await stack.startWorker();
    expect(await api.completed(batch)).toMatchObject({ succeeded: 1, failed: 1 });
  });

  it('waits for a paused channel only with the others', async () => {
    const { batch } = await mixedBatch(newBuy(await api.newCustomer(), [newAssetNum()]));
    await sql`update channel set paused_time = now()`.execute(stack.db);
    await stack.startWorker();
    await api.accept(batch);
    expect(await readResult(api, batch)).toMatchObject({ failed: 1, pending: 1 });
    await sql`update channel set paused_time = null`.execute(stack.db);
    expect(await api.completed(batch)).toMatchObject({ succeeded: 1, failed: 1 });
  });

  it('is completed when an operator ends the last held order', async () => {
    const customer = await api.newCustomer();
    const { batch } = await mixedBatch(refusedByPostgres(customer, [newAssetNum()]));
    await acceptUnchecked(stack, api, batch);
    await stack.startWorker();
    await expect.poll(() => readResult(api, batch), { timeout: 30_000 }).toMatchObject({ failed: 1, held: 1 });
    expect((await completedByFailing(stack, api, batch)).orders).toMatchObject([notFound, { cause: 'internal_error' }]);
  });
});

describe('the statement that accepts batches', () => {
  /** Accepts batches of purchases together. Returns how often it asks for a job and for numbering. */
  async function acceptTogether(...batches: [customer: Customer, orders: number][]) {
    const { id } = await stack.db.selectFrom('application').select('id').executeTakeFirstOrThrow();
    const known = new Map(
      (await stack.db.selectFrom('customer').select('id').execute()).map((row) => [row.id, FIRST_CHANNEL]),
    );
    const [announce, onCompleted] = [vi.fn(), vi.fn()];
    const acceptor = new BatchAcceptor({
      db: stack.db,
      announcer: { announce } as unknown as JobAnnouncer,
      bound: { findRefusal: async () => null } as unknown as PendingBound,
      metrics: stack.metrics,
      onCompleted,
    });
    const submitted = batches.map(([customer, orders]) => {
      const sent = batchOf(...Array.from({ length: orders }, () => newBuy(customer, [newAssetNum()])));
      const prepared = prepareBatch(id as ApplicationId, BatchOrder.parse(sent), known);
      return { ...prepared, requestId: 'test', traceparent: null };
    });
    await Promise.all(submitted.map((batch) => acceptor.accept(batch, new Deadline(60_000))));
    return { jobs: announce.mock.calls.length, numberings: onCompleted.mock.calls.length };
  }

  /** The numbers of failed orders of the completed batches, and of batches that are open, by statement. */
  async function readStatements() {
    const { rows } = await sql`
      select array_agg(failed order by id) as failed
      from batch group by xmin::text order by count(*)`.execute(stack.db);
    return rows;
  }

  it('asks for a job only if orders are pending, and is not shared by others if thousands fail', async () => {
    const [known, unknown] = [await api.newCustomer(), await nextCustomer()];
    expect(await acceptTogether([unknown, 2_000], [known, 1], [known, 1])).toMatchObject({ numberings: 1 });
    expect(await readStatements()).toEqual([{ failed: [2_000] }, { failed: [null, null] }]);
    expect(await acceptTogether([unknown, 2], [known, 2], [unknown, 1])).toEqual({ jobs: 1, numberings: 2 });
    expect(await readStatements()).toContainEqual({ failed: [2, null, 1] });
  });
});

describe('an application that is bound to a channel', () => {
  it('fills no lanes of another channel, however many of its customers it names', async () => {
    const theirs = await Promise.all(Array.from({ length: 20 }, () => api.newCustomer(undefined, 'theirs')));
    const bound = await stack.newApi(undefined, ['test']);
    const ours = await bound.newCustomer();
    const batch = batchOf(...[...theirs, ours].map((customer) => newBuy(customer, [newAssetNum()])));
    await bound.accept(batch);
    const query = stack.db.selectFrom('channel').select('id').where('code', '=', 'test');
    const { id } = await query.executeTakeFirstOrThrow();
    expect(await readChunks()).toEqual([
      { lane: 0, orders: 20, failed: 20 },
      { lane: laneOf(id, ours.customerId), orders: 1, failed: 0 },
    ]);
    await sql`update application set channels = null`.execute(stack.db);
    await stack.startWorker();
    const { orders } = await bound.completed(batch);
    expect(orders).toMatchObject([...theirs.map(() => notFound), { state: 'succeeded' }]);
  });

  it('and has lost its binding when the order is applied, has its order refused', async () => {
    const customer = await api.newCustomer();
    const bound = await stack.newApi(undefined, ['test', 'other']);
    const batch = batchOf(newBuy(customer, [newAssetNum()]));
    await bound.accept(batch);
    await sql`update application set channels = array['other'] where channels is not null`.execute(stack.db);
    await stack.startWorker();
    await expect
      .poll(() => stack.db.selectFrom('license_order').select('cause').execute())
      .toEqual([{ cause: 'customer_not_found' }]);
  });
});

it('a sync call does not reveal a held customer of another channel', async () => {
  const theirs = await api.newCustomer(undefined, 'theirs');
  await sql`
    insert into order_hold (customer_id, lane, license_order_id, next_try, last_error)
    values (${theirs.customerId}, ${laneOf(1, theirs.customerId)}, 1,
      now() + interval '1 hour', 'held')`.execute(stack.db);
  const bound = await stack.newApi(undefined, ['test']);
  expect(refusalOf(await bound.submit(syncOf(newBuy(theirs, [newAssetNum()])))).cause).toBe('customer_not_found');
});

it('a sync call with an unknown customer is refused, names all failed orders, and stores nothing', async () => {
  const known = await api.newCustomer();
  const customer = await nextCustomer();
  const orders = [
    newBuy(known, [newAssetNum()]),
    newBuy(customer, [newAssetNum()]),
    deleteAsset(known, [newAssetNum()]),
  ];
  const refuse = async (...sequences: number[]) =>
    refusalOf(await api.submit(syncOf(...orders.map((order, place) => ({ ...order, sequence: sequences[place]! })))));
  const first = await refuse(1, 2, 3);
  expect(first).toMatchObject({ code: '13004', cause: 'customer_not_found' });
  expect(first.message).toContain('2 of 3 orders failed; nothing was stored. orderList[1] (sequence 2): ');
  expect(first.message).toContain('orderList[2] (sequence 3): ');
  expect(first.faults).toMatchObject([
    {
      path: 'orderList[1].customerId',
      cause: 'customer_not_found',
      message: expect.stringContaining(customer.customerId),
    },
    { path: 'orderList[2].assets[0].assetNos[0]', cause: 'asset_not_found', message: expect.stringContaining('Asset') },
  ]);
  expect(await refuse(1, 3, 2)).toMatchObject({ cause: 'asset_not_found' });
  expect(refusalOf(await api.submit(syncOf(orders[1]!))).cause).toBe('customer_not_found');
  expect(await stack.db.selectFrom('batch').selectAll().execute()).toEqual([]);
});

it('an order that waits for an asset does not block orders of other lanes', async () => {
  const customers = (await newCustomersInLanes(api, 2)) as [Customer, Customer];
  const assetNum = newAssetNum();
  await api.carryOut(newBuy(customers[0], [assetNum]));
  const batches = [batchOf(newBuy(customers[0], [assetNum])), batchOf(newBuy(customers[1], [newAssetNum()]))] as const;
  for (const batch of batches) await api.accept(batch);
  await stack.db.transaction().execute(async (trx) => {
    await sql`select from asset where asset_num = ${assetNum} for update`.execute(trx);
    await stack.startWorker();
    expect((await api.completed(batches[1])).orders).toMatchObject([{ state: 'succeeded' }]);
    // The neighbor didn't wait for the row lock to time out.
    expect((await stack.metrics.drainFailures.get()).values).toMatchObject([{ value: 0 }]);
  });
  expect((await api.completed(batches[0])).orders).toMatchObject([{ state: 'succeeded' }]);
});
