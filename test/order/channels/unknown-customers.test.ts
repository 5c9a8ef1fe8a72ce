import { LedgerIds } from '@lockstep/assets';
import type { Customer } from '@lockstep/contract';
import { EventNumbering, retryFailedOrders } from '@lockstep/orders';
import { channelOf, LaneDrainer, laneOf, NO_CHANNEL } from '@lockstep/orders/testing';
import { createLogger } from '@lockstep/platform';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Api, dataOf, refusalOf } from '../../harness/api.ts';
import { failOrders } from '../../harness/databases/unchecked.ts';
import { newCustomersInLanes } from '../../harness/orders/lanes.ts';
import { batchOf, deleteAsset, newAssetNum, newBuy } from '../../harness/orders/orders.ts';
import { readGrants } from '../../harness/orders/stories.ts';
import { readResult, syncOf } from '../../harness/orders/sync-batches.ts';
import { type Stack, startStack } from '../../harness/stack.ts';

/** Orders whose customer doesn't exist for the application at acceptance (rules 6.2). */
let stack: Stack;
let api: Api;

beforeEach(async () => {
  stack = await startStack({ worker: false });
  api = await stack.newApi();
});
afterEach(() => stack.close());

/** Returns the customer that will be created next, as the API will show it. */
async function nextCustomer() {
  const { customerId, ...last } = await api.newCustomer();
  return { ...last, customerId: String(Number(customerId) + 1) } as typeof last & { customerId: typeof customerId };
}

/** Creates the next customer in the same enterprise. */
async function create(next: Awaited<ReturnType<typeof nextCustomer>>) {
  expect((await api.newCustomer(next.enterpriseName)).customerId).toBe(next.customerId);
}

/** Counts pending orders by the channel of their lanes. */
async function countPending(): Promise<Record<number, number>> {
  const chunks = await stack.db.selectFrom('lane_chunk').select(['lane', 'order_count']).execute();
  const byChannel: Record<number, number> = {};
  for (const { lane, order_count } of chunks) {
    byChannel[channelOf(lane)] = (byChannel[channelOf(lane)] ?? 0) + order_count;
  }
  return byChannel;
}

const notFound = { state: 'failed', cause: 'customer_not_found' };

describe('an order whose customer is created after its acceptance', () => {
  it('fails, and later orders succeed', async () => {
    const customer = await nextCustomer();
    const early = batchOf(newBuy(customer, [newAssetNum()]));
    await api.accept(early);
    await create(customer);
    const later = batchOf(newBuy(customer, [newAssetNum()]));
    await api.accept(later);
    await stack.startWorker();
    expect((await api.completed(early)).orders).toMatchObject([notFound]);
    expect((await api.completed(later)).orders).toMatchObject([{ state: 'succeeded' }]);
  });

  it('fails alone in its batch, which is stored as it was sent', async () => {
    const other = await api.newCustomer();
    const customer = await nextCustomer();
    const batch = batchOf(newBuy(customer, [newAssetNum()]), newBuy(other, [newAssetNum()]));
    await api.accept(batch);
    await create(customer);
    await stack.startWorker();
    expect((await api.completed(batch)).orders).toMatchObject([notFound, { state: 'succeeded' }]);
    const { channelCode, channelOrderId } = batch;
    const failed = dataOf(await api.ask('getFailedOrders', { query: { channelCode, channelOrderId } }));
    expect(failed.orderList).toMatchObject([{ customerId: customer.customerId }]);
  });

  it('fails also if its stored form cannot be read', async () => {
    const customer = await nextCustomer();
    const batch = batchOf(newBuy(customer, [newAssetNum()]));
    await api.accept(batch);
    await sql`update lane_chunk set payload_version = 2`.execute(stack.db);
    await stack.startWorker();
    expect((await api.completed(batch)).orders).toMatchObject([notFound]);
    expect(await stack.db.selectFrom('order_hold').selectAll().execute()).toEqual([]);
  });

  it('gets a new customer lookup when an operator has ended and retries it', async () => {
    const customer = await nextCustomer();
    const batch = batchOf(newBuy(customer, [newAssetNum()]));
    const [order] = await api.accept(batch);
    await failOrders(stack.db, [order!.licenseOrderId]);
    await create(customer);
    expect(await retryFailedOrders(stack.db, [order!.licenseOrderId])).toMatchObject({ retried: 1 });
    await stack.startWorker();
    expect((await api.completed(batch)).orders).toMatchObject([{ state: 'succeeded' }]);
  });

  it('moves to another lane than its batch recorded, and the counts stay correct', async () => {
    const customer = await nextCustomer();
    const batch = batchOf(newBuy(customer, [newAssetNum()]), newBuy(customer, [newAssetNum()]));
    const [order] = await api.accept(batch);
    await failOrders(stack.db, [order!.licenseOrderId]);
    await create(customer);
    await retryFailedOrders(stack.db, [order!.licenseOrderId]);
    expect(await readResult(api, batch)).toMatchObject({ succeeded: 0, failed: 0, pending: 2 });
    await stack.startWorker();
    const result = await api.completed(batch);
    expect(result).toMatchObject({ succeeded: 1, failed: 1, pending: 0 });
    expect(result.orders).toMatchObject([{ state: 'succeeded' }, notFound]);
  });

  it('can be cancelled', async () => {
    const batch = batchOf(newBuy(await nextCustomer(), [newAssetNum()]));
    await api.accept(batch);
    expect(await api.cancel(batch)).toEqual({ cancelled: 1, finished: 0 });
  });
});

it('an order that cannot even fail blocks only its own lane', async () => {
  const [unknown, known] = [await nextCustomer(), await api.newCustomer('Other')];
  await sql`alter table license_order add constraint known check (cause <> 'customer_not_found')`.execute(stack.db);
  const batch = batchOf(
    newBuy({ ...unknown, customerId: '1' as never }, [newAssetNum()]),
    newBuy(known, [newAssetNum()]),
  );
  await api.accept(batch);
  const rows = await stack.db.selectFrom('lane_chunk').select('lane').orderBy('lane').execute();
  const lanes = rows.map(({ lane }) => lane);
  const log = createLogger({ name: 'test', level: 'silent', secrets: new Set() });
  const numbering = new EventNumbering({ db: stack.db, log });
  const drainer = new LaneDrainer({ db: stack.db, log, metrics: stack.metrics, numbering, ids: new LedgerIds() });
  expect(await drainer.attempt({ lanes })).toMatchObject({ became: 'failed', lanes: [lanes[0]] });
  expect(await readResult(api, batch)).toMatchObject({ succeeded: 1, pending: 1, held: 0 });
  await drainer.close();
});

describe('an application that is bound to a channel', () => {
  it('fills no lanes of another channel, however many of its customers it names', async () => {
    const theirs = await Promise.all(Array.from({ length: 20 }, () => api.newCustomer(undefined, 'theirs')));
    const bound = await stack.newApi(undefined, ['test']);
    const ours = await bound.newCustomer();
    const batch = batchOf(...[...theirs, ours].map((customer) => newBuy(customer, [newAssetNum()])));
    await bound.accept(batch);
    const { id } = await stack.db
      .selectFrom('channel')
      .select('id')
      .where('code', '=', 'test')
      .executeTakeFirstOrThrow();
    expect(await countPending()).toEqual({ [NO_CHANNEL]: 20, [id]: 1 });
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
    values (${theirs.customerId}, ${laneOf(1, theirs.customerId)}, 1, now() + interval '1 hour', 'held')`.execute(
    stack.db,
  );
  const bound = await stack.newApi(undefined, ['test']);
  expect(refusalOf(await bound.submit(syncOf(newBuy(theirs, [newAssetNum()])))).cause).toBe('customer_not_found');
});

it('a sync call with an unknown customer is refused at once, and names the order', async () => {
  const known = await api.newCustomer();
  const customer = await nextCustomer();
  await api.accept(batchOf(newBuy(customer, [newAssetNum()])));
  const answer = await api.submit(syncOf(newBuy(known, [newAssetNum()]), newBuy(customer, [newAssetNum()])));
  expect(refusalOf(answer)).toMatchObject({ code: '13004', cause: 'customer_not_found' });
  expect(refusalOf(answer).message).toContain('orderList[1]');
  expect(await countPending()).toEqual({ [NO_CHANNEL]: 1 });
});

it('orders of one customer take effect in acceptance order, whichever application sends them', async () => {
  const bound = await stack.newApi(undefined, ['test']);
  const customer = await api.newCustomer();
  const assetNum = newAssetNum();
  const senders = [api, bound, await stack.newApi()];
  const batches = Array.from({ length: 30 }, (_, turn) =>
    batchOf((turn % 2 === 0 ? newBuy : deleteAsset)(customer, [assetNum])),
  );
  for (const [turn, batch] of batches.entries()) await senders[turn % 3]!.accept(batch);
  await Promise.all([stack.startWorker(), stack.startWorker()]);
  for (const [turn, batch] of batches.entries()) {
    expect((await senders[turn % 3]!.completed(batch)).orders).toMatchObject([{ state: 'succeeded' }]);
  }
  expect((await readGrants(stack, assetNum)).filter(({ active }) => active)).toEqual([]);
});

it('a customerId that no customer can have does not block other calls', async () => {
  const customer = await api.newCustomer();
  const impossible = { ...customer, customerId: '9999999999999999999' as typeof customer.customerId };
  const batch = batchOf(newBuy(impossible, [newAssetNum()]));
  await Promise.all([api.accept(batch), api.accept(batchOf(newBuy(customer, [newAssetNum()])))]);
  await stack.startWorker();
  expect((await api.completed(batch)).orders).toMatchObject([notFound]);
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
