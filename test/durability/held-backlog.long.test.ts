import { LedgerIds } from '@lockstep/assets';
import type { Customer, LicenseOrderId } from '@lockstep/contract';
import { EventNumbering, OrderWorker } from '@lockstep/orders';
import { createLogger, type Database } from '@lockstep/platform';
import type { KyselyPlugin } from 'kysely';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Drained, drainLanes } from '../../packages/orders/src/drain.ts';
import { finishOrders } from '../../packages/orders/src/finish-orders.ts';
import { Holds } from '../../packages/orders/src/holds.ts';
import { laneOf } from '../../packages/orders/src/lanes.ts';
import type { OrderWithId } from '../../packages/orders/src/outcome.ts';
import { readPendingInBatch } from '../../packages/orders/src/pending.ts';
import { type Api, dataOf } from '../harness/api.ts';
import { batchOf, newAssetNum, newBuy } from '../harness/orders.ts';
import { type Stack, startStack } from '../harness/stack.ts';

/** What a drain reads of customers whose orders wait. */
let stack: Stack;
let api: Api;
/** Both in one lane. */
let held: Customer;
let other: Customer;
let lane: number;
let holds: Holds;

beforeEach(async () => {
  stack = await startStack({ worker: false });
  api = await stack.newApi();
  held = await api.newCustomer();
  lane = laneOf(held.customerId);
  do other = await api.newCustomer();
  while (laneOf(other.customerId) !== lane);
  holds = new Holds();
});
afterEach(() => stack.close());

const LONG_MS = 1e9;

/** Holds the customer as if an order of theirs had failed just now, or so long ago that it is due again. */
function hold({ isDue }: { isDue: boolean }): void {
  const accepted = { licenseOrderId: '1', order: { customerId: held.customerId } } as OrderWithId;
  const failure = { accepted, error: new Error('made to fail'), drift: [] };
  holds.hold(failure, performance.now() + (isDue ? -LONG_MS : LONG_MS));
}

const orders = (customer: Customer, count: number) =>
  Array.from({ length: count }, () => newBuy(customer, [newAssetNum()]));

async function accept(...sent: ReturnType<typeof newBuy>[]) {
  const batch = batchOf(...sent);
  await api.accept(batch);
  return batch;
}

/** A drain, and how many chunks of orders it has fetched. */
async function drain(): Promise<Drained & { fetched: number }> {
  let fetched = 0;
  const count: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      fetched += result.rows.filter((row) => typeof row.payload === 'string').length;
      return result;
    },
  };
  const counted: Database = stack.db.withPlugin(count);
  const drained = await drainLanes(counted, { lanes: [lane] }, { ids: new LedgerIds(), holds });
  return { ...drained, fetched };
}

const readPending = async ({ channelCode, channelOrderId }: ReturnType<typeof batchOf>) =>
  dataOf(await api.call('GET', '/licenseOrder/batchOrder', { query: { channelCode, channelOrderId } })).pending;

describe('a backlog of a held customer', () => {
  it('is not read while it is not due, and who is behind it goes on', async () => {
    for (let count = 0; count < 5; count++) await accept(...orders(held, 20));
    const behind = await accept(...orders(other, 3));
    hold({ isDue: false });
    expect(await drain()).toMatchObject({ fetched: 1, succeeded: 3 });
    expect(await readPending(behind)).toBe(0);
    const idle = await drain();
    expect(idle).toMatchObject({ fetched: 0, succeeded: 0, throughBatchId: null });
    expect([...idle.leftCustomerIds]).toEqual([held.customerId]);
    expect(holds.has(held.customerId)).toBe(true);
  });

  it('is read no further than its oldest batch once it is due, and whole once that is carried out', async () => {
    const batches = [];
    for (let count = 0; count < 5; count++) batches.push(await accept(...orders(held, 20)));
    hold({ isDue: true });
    expect(await drain()).toMatchObject({ fetched: 1, succeeded: 1 });
    expect(await readPending(batches[0]!)).toBe(19);
    expect(holds.has(held.customerId)).toBe(false);
    expect(await drain()).toMatchObject({ fetched: 5, succeeded: 99 });
  });

  it('is not read for orders beside it that have their outcome', async () => {
    const batch = await accept(...orders(held, 20), ...orders(other, 2));
    hold({ isDue: false });
    expect(await drain()).toMatchObject({ fetched: 1, succeeded: 2 });
    expect(await drain()).toMatchObject({ fetched: 0, succeeded: 0 });
    expect(await readPending(batch)).toBe(20);
  });

  it('is read to the end of many looks', async () => {
    for (let count = 0; count < 4; count++) await accept(...orders(held, 4_000));
    await accept(...orders(other, 1));
    hold({ isDue: false });
    expect(await drain()).toMatchObject({ fetched: 1, succeeded: 1, throughBatchId: null });
  });

  it('is forgotten once somebody else has carried it out', async () => {
    await accept(...orders(held, 2));
    await drainLanes(stack.db, { lanes: [lane] }, { ids: new LedgerIds(), holds: new Holds() });
    hold({ isDue: false });
    await drain();
    expect(holds.has(held.customerId)).toBe(false);
  });
});

it('a chunk that is finished in part is left in the form of this release', async () => {
  await accept(...orders(held, 2));
  const { batch_id } = await stack.db.selectFrom('lane_chunk').select('batch_id').executeTakeFirstOrThrow();
  await stack.db.transaction().execute(async (trx) => {
    const chunks = await readPendingInBatch(trx, batch_id);
    const [[index, order]] = chunks[0]!.orders as [[number, OrderWithId['order']]];
    const accepted = {
      licenseOrderId: String(BigInt(batch_id) * 8192n + BigInt(index)) as LicenseOrderId,
      order,
      channels: null,
    };
    // As if it had been read in the form of an older release.
    await sql`update lane_chunk set payload_version = 0`.execute(trx);
    await finishOrders(trx, chunks, [{ accepted, failure: null, assets: 1, products: 1 }]);
  });
  const [chunk] = await stack.db.selectFrom('lane_chunk').select(['payload_version', 'succeeded']).execute();
  expect(chunk).toEqual({ payload_version: 1, succeeded: 1 });
});

it('the sweep asks for no drain where one is to come by itself, and waits for none', async () => {
  const log = createLogger({ name: 'test', level: 'silent' });
  const numbering = new EventNumbering({ db: stack.db, log });
  const deliver = () => {};
  const worker = new OrderWorker({ db: stack.db, log, metrics: stack.metrics, numbering, drains: 2, deliver });
  await accept(...orders(held, 1));
  await sql`update lane_chunk set payload_version = 2`.execute(stack.db);
  await worker.process({ type: 'drain', version: 1, lanes: [lane], throughBatchId: '0' });
  const swept = async () => (await stack.metrics.sweptLanes.get()).values[0]!.value;
  const begunMs = performance.now();
  const now = vi.spyOn(performance, 'now');
  try {
    await worker.sweep();
    now.mockReturnValue(begunMs + 5_000);
    await worker.sweep();
    expect(await swept()).toBe(0);
    // Of another lane nobody knows, and a drain of it gets no further than the table.
    let elsewhere = await api.newCustomer();
    while (laneOf(elsewhere.customerId) === lane) elsewhere = await api.newCustomer();
    const session = await stack.db.startTransaction().execute();
    await accept(...orders(elsewhere, 1));
    await sql`lock table asset in access exclusive mode`.execute(session);
    for (const laterMs of [5_000, 8_000, 11_000]) {
      now.mockReturnValue(begunMs + laterMs);
      await worker.sweep();
    }
    expect(await swept()).toBe(1);
    await session.rollback().execute();
  } finally {
    now.mockRestore();
    await worker.close();
  }
});
