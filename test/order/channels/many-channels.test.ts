import type { Customer } from '@lockstep/contract';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { newCustomersInLanes } from '../../harness/orders/lanes.ts';
import { batchOf, newAssetNum, newBuy } from '../../harness/orders/orders.ts';
import { waitForResults } from '../../harness/orders/stories.ts';
import { expectSumsRight } from '../../harness/orders/sync-batches.ts';
import { testStack } from '../../harness/stack.ts';

/** Work in many channels, and transfers between two of them (rules 6.2). */

const CHANNELS = 2_000;

const { stack, api } = await testStack({ worker: false });
/** In different lanes of the first channel. */
const ours = (await newCustomersInLanes(api, 2)) as [Customer, Customer];
const theirs = await api.newCustomer(undefined, 'theirs');

/** Creates `count` new channels with a customer each. */
async function newChannels(count: number): Promise<Customer[]> {
  await sql`
    insert into channel (code) select 'one of many ' || n from generate_series(1, ${count}) n`.execute(stack.db);
  const { rows } = await sql<{ customerId: Customer['customerId'] }>`
    insert into customer (enterprise_id, channel_code, channel_customer_id, name, branch_name, is_default)
    select ${theirs.enterpriseGlobalId}, 'one of many ' || n, n, 'Customer', 'Branch', false
    from generate_series(1, ${count}) n returning id::text as "customerId"`.execute(stack.db);
  return rows.map(({ customerId }) => ({ ...theirs, customerId }));
}

it('one order in each of thousands of channels: a worker applies many of them per transaction', async () => {
  const customers = await newChannels(CHANNELS);
  const batch = batchOf(...customers.map((customer) => newBuy(customer, [newAssetNum()])));
  await api.accept(batch);
  const lanes = await stack.db.selectFrom('lane_chunk').select('lane').distinct().execute();
  expect(lanes).toHaveLength(CHANNELS);

  await stack.startWorker();
  expect(await api.completed(batch)).toMatchObject({ succeeded: CHANNELS });
  const { rows } = await sql<{ transactions: number }>`
    select count(distinct xmin::text)::int as transactions from license_order`.execute(stack.db);
  expect(rows[0]!.transactions).toBeLessThan(CHANNELS / 20);
}, 60_000);

it('concurrent transfers in both directions between channels all succeed, and assets have one customer', async () => {
  await stack.startWorker();
  await stack.startWorker();
  const assetNums = Array.from({ length: 200 }, newAssetNum);
  await api.carryOut(newBuy(ours[0], assetNums));
  const move = (customer: Customer, nums: string[]) =>
    batchOf(...nums.map((assetNum) => newBuy(customer, [assetNum], {}, { transferedAssetNum: true })));
  for (let round = 0; round < 3; round++) {
    const batches = [move(ours[0], assetNums), move(theirs, assetNums.toReversed()), move(ours[1], assetNums)];
    await Promise.all(batches.map((batch) => api.accept(batch)));
    const orders = await waitForResults(api, batches);
    expect(orders.filter(({ state }) => state !== 'succeeded')).toEqual([]);
  }
  const query = stack.db.selectFrom('asset').select('asset_num').where('asset_num', 'in', assetNums);
  const owners = await query.where('revoked_time', 'is', null).execute();
  expect(owners.map(({ asset_num }) => asset_num).toSorted()).toEqual(assetNums.toSorted());
  await expectSumsRight(stack.db);
});
