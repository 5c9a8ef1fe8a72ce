import type { AcceptedOrder, Customer } from '@lockstep/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, dataOf, refusalOf } from '../harness/api.ts';
import { checkNumbers } from '../harness/numbers.ts';
import {
  batchOf,
  deleteAsset,
  deleteProduct,
  merchandise,
  newAssetNum,
  newBuy,
  productToBuy,
  type Sent,
} from '../harness/orders.ts';
import { type Stack, startStack } from '../harness/stack.ts';
import { syncOf } from '../harness/sync-batches.ts';
import { type Filling, thicken } from '../harness/thick-assets.ts';

/** Assets and orders right at their limits, and one over (rules 6.5 Size), however the orders come. */
const ON_ASSET = 10_000;
const OF_ORDER = 200_000;
/** So many full assets are as much as an order touches. */
const FULL_ASSETS = OF_ORDER / ON_ASSET;

let stack: Stack;
let api: Api;
let customer: Customer;

beforeAll(async () => {
  stack = await startStack();
  api = await stack.newApi();
  customer = await api.newCustomer();
});
afterAll(async () => {
  expect(await checkNumbers(stack.db)).toEqual([]);
  await stack.close();
});

/** Buys assets with one product each in one order, and puts more on them. */
async function buyThick(count: number, filling: Filling): Promise<{ assetNums: string[]; order: AcceptedOrder }> {
  const assetNums = Array.from({ length: count }, newAssetNum);
  const [order] = await api.carryOut(newBuy(customer, assetNums));
  await thicken(stack.db, assetNums, filling);
  return { assetNums, order: order! };
}

const products = (count: number) => Array.from({ length: count }, () => productToBuy());

describe('an asset', () => {
  const causeOf = async (order: Sent): Promise<(string | null)[]> => {
    const [previewed] = await api.preview(batchOf(order));
    const [processed] = await api.process(batchOf(order));
    return [previewed!.cause, processed!.cause];
  };

  it('holds 10,000 products and merchandises, bought at once or one after the other, and not one more', async () => {
    const at = newAssetNum();
    const contents = { products: products(ON_ASSET - 3), merchandises: [merchandise()] };
    await api.carryOut(newBuy(customer, [at], {}, contents));
    await api.carryOut(newBuy(customer, [at]));
    expect(await causeOf(newBuy(customer, [at]))).toEqual(['asset_full', 'asset_full']);
    const refusal = refusalOf(await api.submit(syncOf(newBuy(customer, [at]))));
    expect(refusal).toMatchObject({ code: '13004', cause: 'asset_full' });
    expect(refusal.message).toContain(`Asset ${at} would hold more than 10000 active products and merchandises.`);
    await api.carryOut(
      newBuy(customer, [at], {}, { products: [], limitEndDate: 1_900_000_000_000, transferedAssetNum: true }),
    );
    expect(dataOf(await api.call('GET', `/asset/${at}`)).products).toHaveLength(ON_ASSET - 2);
    await api.carryOut(deleteProduct(customer, [at]));
    await api.carryOut(newBuy(customer, [at]));
  });

  it('is full with two elements of an order, where neither is too large alone', async () => {
    const [one, two] = [newAssetNum(), newAssetNum()];
    const element = (assetNos: string[], count: number) => ({ assetNos, products: products(count) });
    const order = (count: number) =>
      newBuy(customer, [], { assets: [element([one, two], 6_000), element([two], count)] });
    expect(await causeOf(order(4_001))).toEqual(['asset_full', 'asset_full']);
    expect(await causeOf(order(4_000))).toEqual([null, null]);
  });

  it('that is full is transferred, and has no room for its new customer either', async () => {
    const { assetNums } = await buyThick(1, { products: ON_ASSET - 1 });
    const next = await api.newCustomer();
    const transfer = (element: Sent) => newBuy(next, assetNums, {}, { transferedAssetNum: true, ...element });
    expect(await causeOf(transfer({}))).toEqual(['asset_full', 'asset_full']);
    expect(await causeOf(transfer({ products: [] }))).toEqual([null, null]);
  });
});

describe('an order', () => {
  /** How an order touches what is on assets of which it names all. */
  const KINDS: { by: string; filling: Filling; order: (assetNums: string[], bought: AcceptedOrder) => Sent }[] = [
    {
      by: 'delete_asset',
      filling: { products: ON_ASSET - 1 },
      order: (assetNums) => deleteAsset(customer, assetNums),
    },
    {
      by: 'delete_asset of a source order, with trees of merchandise',
      filling: { packages: ON_ASSET / 2 - 1, products: 1 },
      order: (assetNums, { licenseOrderId }) => deleteAsset(customer, assetNums, { srcLicenseOrderId: licenseOrderId }),
    },
    {
      by: 'delete_product',
      filling: { products: ON_ASSET - 1 },
      order: (assetNums) => deleteProduct(customer, assetNums),
    },
    {
      by: 'delete_product, with trees of merchandise',
      filling: { packages: ON_ASSET / 2 - 1, products: 1 },
      order: (assetNums) => deleteProduct(customer, assetNums),
    },
    {
      by: 'transfer',
      filling: { products: ON_ASSET - 1 },
      order: (assetNums) => newBuy(next, assetNums, {}, { transferedAssetNum: true, products: [] }),
    },
  ];
  let next: Customer;
  beforeAll(async () => {
    next = await api.newCustomer();
  });

  it.each(KINDS)('touches 200,000 by $by, in any mode, and not one more', async ({ filling, order }) => {
    for (const mode of ['async', 'sync'] as const) {
      const { assetNums, order: bought } = await buyThick(FULL_ASSETS, filling);
      if (mode === 'async') {
        const more = newAssetNum();
        const { licenseOrderId } = bought;
        // Another order's grant counts for itself only, so the source order gets one more product first.
        await api.carryOut(newBuy(customer, [more], { srcLicenseOrderId: licenseOrderId }));
        const over = order([...assetNums, more], bought);
        if (over.srcLicenseOrderId === undefined) {
          const failed = { cause: 'order_too_large' };
          expect(await api.preview(batchOf(over))).toMatchObject([failed]);
          expect(await api.process(batchOf(over))).toMatchObject([failed]);
          expect(refusalOf(await api.submit(syncOf(over)))).toMatchObject({ code: '13004', ...failed });
        }
        expect(await api.preview(batchOf(order(assetNums, bought)))).toMatchObject([{ cause: null }]);
        expect(await api.process(batchOf(order(assetNums, bought)))).toMatchObject([{ cause: null }]);
      } else dataOf(await api.submit(syncOf(order(assetNums, bought))));
    }
  });
});
