import type { Customer } from '@lockstep/contract';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, refusalOf } from '../harness/api.ts';
import { checkNumbers } from '../harness/databases/numbers.ts';
import { firstLaneOf } from '../harness/orders/lanes.ts';
import { buyLargeAssets, FULL } from '../harness/orders/large-assets.ts';
import { batchOf, deleteAsset, deleteProduct, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { submitLarge, syncOf } from '../harness/orders/sync-batches.ts';
import { type Stack, startStack } from '../harness/stack.ts';

/** Orders at and over the size limits, alone and many at once (rules 6.5). */

const ASSETS = 22;

let stack: Stack;
let api: Api;
let customer: Customer;
let next: Customer;
let large: string[];

beforeAll(async () => {
  stack = await startStack();
  api = await stack.newApi();
  customer = await api.newCustomer();
  next = await api.newCustomer();
  ({ large } = await buyLargeAssets({ db: stack.db, api }, customer, ASSETS, FULL.products));
});
afterAll(async () => {
  expect(await checkNumbers(stack.db)).toEqual([]);
  await stack.close();
});

const transfer = (to: Customer, assetNums: string[]) =>
  newBuy(to, assetNums, {}, { transferedAssetNum: true, products: [] });

/** Expects this refusal of a sync batch. On a slow machine, the call may time out first. */
async function expectRefused(batch: ReturnType<typeof syncOf>, refusal: object): Promise<void> {
  const answer = await submitLarge(stack.db, api, batch);
  if (answer !== null) expect(refusalOf(answer)).toMatchObject(refusal);
}

/** Twenty of the orders are at the limit. */
const AT_LIMIT = 20;
const causesOf = (orders: readonly { cause: string | null }[]) => orders.map(({ cause }) => cause);

it('an order over the limit reports its first fault', async () => {
  const numbers = (...more: string[]) => [...large.slice(0, AT_LIMIT), ...more, ...large.slice(AT_LIMIT)];
  const orders = [
    { ...deleteAsset(customer, large), enterpriseGlobalId: '1' },
    { ...deleteAsset(customer, large), srcLicenseOrderId: '1' },
    deleteAsset(customer, [newAssetNum(), ...large]),
    deleteAsset(customer, numbers(newAssetNum())),
    deleteAsset(customer, [...large, newAssetNum()]),
  ];
  const causes = [
    'enterprise_mismatch',
    'source_order_not_found',
    'asset_not_found',
    'asset_not_found',
    'order_too_large',
  ];
  expect(causesOf(await api.preview(batchOf(...orders)))).toEqual(causes);
  expect(causesOf(await api.process(batchOf(...orders)))).toEqual(causes);
  for (const [index, order] of orders.entries()) {
    await expectRefused(syncOf(order), { cause: causes[index] });
  }
  const someonesAsset = newAssetNum();
  await api.carryOut(newBuy(await api.newCustomer(), [someonesAsset], { licenseType: 'softkey' }));
  const mismatches = [transfer(next, [someonesAsset, ...large]), transfer(next, numbers(someonesAsset))];
  expect(causesOf(await api.preview(batchOf(...mismatches)))).toEqual(Array(2).fill('license_type_mismatch'));
  const late = deleteProduct(customer, numbers(newAssetNum()));
  expect(causesOf(await api.preview(batchOf(late)))).toEqual(['asset_not_found']);
});

describe('orders that are each within the limit', () => {
  /** Each order touches more than half of what one order may touch. */
  const transfers = (to: Customer) => [transfer(to, large.slice(0, ASSETS / 2)), transfer(to, large.slice(ASSETS / 2))];
  const tooLarge = { code: '13004', cause: 'batch_too_large', message: expect.stringContaining('orderList[1]:') };

  it('are refused in a sync call or a preview if they touch too much together', async () => {
    await expectRefused(syncOf(...transfers(next)), tooLarge);
    expect(refusalOf(await api.submitPreview(batchOf(...transfers(next))))).toMatchObject(tooLarge);
  });

  it('behind a failing one, refuse a preview as well, and a sync call for the failing one', async () => {
    const orders = [deleteAsset(customer, [newAssetNum()]), ...transfers(next)];
    const refusal = refusalOf(await api.submitPreview(batchOf(...orders)));
    expect(refusal).toMatchObject({ ...tooLarge, message: expect.stringContaining('orderList[2]:') });
    await expectRefused(syncOf(...orders), { cause: 'asset_not_found' });
  });

  it('refuse a preview if they read too much, even if each fails', async () => {
    const orders = Array.from({ length: 3 }, () => deleteProduct(customer, large));
    expect(causesOf(await api.preview(batchOf(...orders.slice(1))))).toEqual(['order_too_large', 'order_too_large']);
    const refusal = refusalOf(await api.submitPreview(batchOf(...orders)));
    expect(refusal).toMatchObject({ ...tooLarge, message: expect.stringContaining('orderList[2]:') });
  });

  it('take effect in async batches, and a neighbor in their lane waits only for those accepted before', async () => {
    const sameLane = async (): Promise<Customer> => {
      const other = await api.newCustomer();
      return firstLaneOf(other.customerId) === firstLaneOf(next.customerId) ? other : await sameLane();
    };
    const [neighbor, third] = [await sameLane(), await sameLane()];
    const [first, second] = transfers(next);
    const purchase = newBuy(neighbor, [newAssetNum()]);
    const batches = [first!, second!, purchase, transfers(third)[0]!].map((order) => batchOf(order));
    for (const batch of batches) await api.accept(batch);
    const results = await Promise.all(batches.map((batch) => api.completed(batch)));
    expect(results.map(({ succeeded }) => succeeded)).toEqual(batches.map(() => 1));
    const [one, two, neighbors, last] = results.map(({ orders }) => orders[0]!.licenseOrderId);
    const { rows } = await sql<{ id: string; place: number }>`
      select id, (dense_rank() over (order by finished_time))::int as place from license_order
      where id = any (${[one, two, neighbors, last]}::bigint[])`.execute(stack.db);
    const place = new Map(rows.map((row) => [row.id, row.place]));
    expect(place.get(one!)).toBeLessThan(place.get(two!)!);
    expect(place.get(neighbors!)).toBeLessThan(place.get(last!)!);
  });
});

describe('thousands of orders over the limit', () => {
  const over = (to: Customer, count: number) => Array.from({ length: count }, () => transfer(to, large));
  const isTooLarge = { state: 'failed', cause: 'order_too_large' };

  it('of twenty concurrent callers all fail, and none is held', async () => {
    const callers = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const caller = await stack.newApi();
        return { caller, batch: batchOf(...over(await caller.newCustomer(), 250)) };
      }),
    );
    const results = await Promise.all(callers.map(({ caller, batch }) => caller.process(batch)));
    expect(results.flat()).toEqual(Array(20 * 250).fill(expect.objectContaining(isTooLarge)));
  });

  it('of one batch all fail, and those at the limit succeed', async () => {
    const owner = await api.newCustomer();
    const atLimit = large.slice(0, AT_LIMIT);
    const batch = batchOf(...over(owner, 4_998), transfer(owner, atLimit), deleteAsset(owner, atLimit));
    await api.accept(batch);
    const { succeeded, failed, orders } = await api.completed(batch);
    expect([succeeded, failed]).toEqual([2, 4_998]);
    expect(orders).toEqual(Array(1_000).fill(expect.objectContaining(isTooLarge)));
  });
});
