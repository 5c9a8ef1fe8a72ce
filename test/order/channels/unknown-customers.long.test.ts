import type { Customer, CustomerId } from '@lockstep/contract';
import { CustomerChannels } from '@lockstep/orders';
import { channelOf, NO_CHANNEL } from '@lockstep/orders/testing';
import { Deadline } from '@lockstep/platform';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Api } from '../../harness/api.ts';
import { FIRST_CHANNEL } from '../../harness/orders/lanes.ts';
import { batchOf, newAssetNum, newBuy } from '../../harness/orders/orders.ts';
import { readResult } from '../../harness/orders/sync-batches.ts';
import { type Stack, startStack } from '../../harness/stack.ts';

/** An application bound to one channel names 100,000 customers of another (rules 6.2). */
const CUSTOMERS = 100_000;
const ORDERS_PER_BATCH = 2_000;

let stack: Stack;
let bound: Api;
let ours: Customer;
let theirs: Customer[];

beforeAll(async () => {
  stack = await startStack({ worker: false });
  bound = await stack.newApi(undefined, ['test']);
  ours = await bound.newCustomer();
  await sql`insert into channel (code) values ('theirs')`.execute(stack.db);
  const { rows } = await sql<{ customerId: CustomerId }>`
    insert into customer (enterprise_id, channel_code, channel_customer_id, name, branch_name, is_default)
    select ${ours.enterpriseGlobalId}, 'theirs', n, 'Customer', 'Branch', false
    from generate_series(1, ${CUSTOMERS}) n returning id::text as "customerId"`.execute(stack.db);
  theirs = rows.map(({ customerId }) => ({ ...ours, customerId }));
});
afterAll(() => stack.close());

/** The customers in parts of one batch each. */
const parts = () =>
  Array.from({ length: CUSTOMERS / ORDERS_PER_BATCH }, (_, index) =>
    theirs.slice(index * ORDERS_PER_BATCH, (index + 1) * ORDERS_PER_BATCH),
  );

it('all of its orders fail, none in lanes of the other channel, which is served in the meantime', async () => {
  const strange = [];
  for (const part of parts()) {
    const batch = batchOf(...part.map((customer) => newBuy(customer, [newAssetNum()])));
    await bound.accept(batch);
    strange.push(batch);
  }
  const api = await stack.newApi();
  const batches = [theirs[0]!, ours].map((customer) => batchOf(newBuy(customer, [newAssetNum()])));
  for (const batch of batches) await api.accept(batch);
  const lanes = await stack.db.selectFrom('lane_chunk').select('lane').distinct().execute();
  expect(lanes.filter(({ lane }) => channelOf(lane) !== NO_CHANNEL)).toHaveLength(batches.length);

  await stack.startWorker();
  const besides = [];
  for (const batch of batches) besides.push(await api.completed(batch));
  const ends = [];
  for (const batch of strange) ends.push(await bound.completed(batch));
  expect(besides).toMatchObject([{ succeeded: 1 }, { succeeded: 1 }]);
  expect(ends.map(({ failed }) => failed)).toEqual(strange.map(() => ORDERS_PER_BATCH));
  expect(ends.flatMap(({ orders }) => orders.filter(({ cause }) => cause !== 'customer_not_found'))).toEqual([]);
  const last = Math.max(...ends.map(({ completedTime }) => completedTime!));
  for (const { completedTime } of besides) expect(completedTime).toBeLessThan(last);
  expect(await readResult(bound, strange[0]!)).toMatchObject({ pending: 0 });
});

it('a process keeps its own customers cached, and the cache is bounded', async () => {
  const channels = new CustomerChannels(stack.db);
  const find = async (customers: readonly Customer[], codes: string[] | null) => [
    ...new Set(
      (
        await channels.find(
          customers.map(({ customerId }) => customerId),
          codes,
          new Deadline(60_000),
        )
      ).values(),
    ),
  ];
  /** Runs `work` while customer lookups are blocked. */
  const withoutLookUps = async (work: () => Promise<void>) => {
    await sql`alter table channel rename to hidden`.execute(stack.db);
    await work().finally(() => sql`alter table hidden rename to channel`.execute(stack.db));
  };
  await find([ours], ['test']);
  for (const part of parts()) expect(await find(part, ['test'])).toEqual([NO_CHANNEL]);
  await withoutLookUps(async () => {
    expect(await find([ours], ['test'])).toEqual([FIRST_CHANNEL]);
    await expect(find(theirs.slice(-1), ['test'])).rejects.toThrow('channel');
  });
  for (const part of parts()) expect(await find(part, null)).toEqual([FIRST_CHANNEL + 1]);
  await withoutLookUps(async () => {
    expect(await find(theirs.slice(-ORDERS_PER_BATCH), null)).toEqual([FIRST_CHANNEL + 1]);
    await expect(find(theirs.slice(0, 1), null)).rejects.toThrow('channel');
  });
});
