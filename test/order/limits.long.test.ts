import { buildMessage, type Customer } from '@lockstep/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dataOf, refusalOf } from '../harness/api.ts';
import { checkNumbers } from '../harness/databases/numbers.ts';
import { buyLargeAssets, type Filling, FULL, uriUnderGrant } from '../harness/orders/large-assets.ts';
import {
  batchOf,
  deleteAsset,
  deleteProduct,
  merchandise,
  newAssetNum,
  newBuy,
  productToBuy,
  productToRevoke,
  type Sent,
} from '../harness/orders/orders.ts';
import { syncOf } from '../harness/orders/sync-batches.ts';
import { testStack } from '../harness/stack.ts';

/** Assets and orders at their limits and one over (rules 6.5 Size), in every mode. */
const ON_ASSET = 2_000;
const OF_ORDER = 10_000;
/** One order may touch this many full assets. */
const FULL_ASSETS = OF_ORDER / ON_ASSET;

const { stack, api } = await testStack();
const customer = await api.newCustomer();
afterAll(async () => {
  expect(await checkNumbers(stack.db)).toEqual([]);
});

const products = (count: number) => Array.from({ length: count }, () => productToBuy());

describe('an asset', () => {
  const causeOf = async (order: Sent): Promise<(string | null)[]> => {
    const [previewed] = await api.preview(batchOf(order));
    const [processed] = await api.process(batchOf(order));
    return [previewed!.cause, processed!.cause];
  };

  it('holds 2,000 products and merchandise, bought at once or one after another, and not one more', async () => {
    const at = newAssetNum();
    const contents = { products: products(ON_ASSET - 3), merchandises: [merchandise()] };
    await api.carryOut(newBuy(customer, [at], {}, contents));
    await api.carryOut(newBuy(customer, [at]));
    expect(await causeOf(newBuy(customer, [at]))).toEqual(['asset_full', 'asset_full']);
    const refusal = refusalOf(await api.submit(syncOf(newBuy(customer, [at]))));
    expect(refusal).toMatchObject({ code: '13004', cause: 'asset_full' });
    expect(refusal.message).toContain(buildMessage('asset_full', at, ON_ASSET, 'contents', 'assets[0].assetNos[0]'));
    await api.carryOut(
      newBuy(customer, [at], {}, { products: [], limitEndDate: 1_900_000_000_000, transferedAssetNum: true }),
    );
    expect(dataOf(await api.call('GET', `/asset/${at}`)).products).toHaveLength(ON_ASSET - 2);
    await api.carryOut(deleteProduct(customer, [at]));
    await api.carryOut(newBuy(customer, [at]));
  });

  it('has 2,000 grants and not one more, even with fewer products', async () => {
    const { large } = await buyLargeAssets({ db: stack.db, api }, customer, 1, { grants: ON_ASSET - 2 });
    for (const place of [1, 2, 3])
      await api.carryOut(deleteProduct(customer, large, { productUri: uriUnderGrant(place) }));
    const [last] = await api.carryOut(newBuy(customer, large));
    expect(await causeOf(newBuy(customer, large))).toEqual(['asset_full', 'asset_full']);
    expect(refusalOf(await api.submit(syncOf(newBuy(customer, large))))).toMatchObject({ cause: 'asset_full' });
    await api.carryOut(deleteAsset(customer, large, { srcLicenseOrderId: last!.licenseOrderId }));
    await api.carryOut(newBuy(customer, large));
  });

  it('with 2,000 grants loses the products of all of them at once, or of one order', async () => {
    const { large, order } = await buyLargeAssets({ db: stack.db, api }, customer, 1, FULL.grants);
    const uris = Array.from({ length: ON_ASSET - 1 }, (_, place) => uriUnderGrant(place + 1));
    const revoke = (productUris: string[], changes: Sent = {}) => {
      const revoked = productUris.map((productUri) => productToRevoke({ productUri, strictMatchWhenDelete: true }));
      return deleteProduct(customer, [], {}, { assets: [{ assetNos: large, products: revoked }], ...changes });
    };
    const source = { srcLicenseOrderId: order.licenseOrderId };
    expect(await causeOf(revoke(uris, source))).toEqual(['product_not_found', 'product_not_found']);
    expect(await causeOf(revoke(uris))).toEqual([null, null]);
    await api.carryOut(deleteProduct(customer, large, {}, source));
    expect(dataOf(await api.call('GET', `/asset/${large[0]}`)).products).toEqual([]);
  });
});

describe('an order', () => {
  const buyFull = (filling: Filling) => buyLargeAssets({ db: stack.db, api }, customer, FULL_ASSETS, filling);

  async function expectTooLarge(order: Sent): Promise<void> {
    const failed = { cause: 'order_too_large' };
    expect(await api.preview(batchOf(order))).toMatchObject([failed]);
    expect(await api.process(batchOf(order))).toMatchObject([failed]);
    expect(refusalOf(await api.submit(syncOf(order)))).toMatchObject({ code: '13004', ...failed });
  }

  /** Applies an order in a mode and returns its ID. */
  const carryOut = {
    async: async (order: Sent) => {
      expect(await api.preview(batchOf(order))).toMatchObject([{ cause: null }]);
      const [processed] = await api.process(batchOf(order));
      expect(processed).toMatchObject({ cause: null });
      return processed!.licenseOrderId;
    },
    sync: async (order: Sent): Promise<string> => {
      const [accepted] = dataOf(await api.submit(syncOf(order)));
      return accepted.licenseOrderId;
    },
  };

  /** Ways in which an order revokes the whole contents of assets. */
  const KINDS: { by: string; filling: Filling; order: (assetNums: string[], source: Sent) => Sent }[] = [
    { by: 'delete_asset', filling: FULL.products, order: (assetNums) => deleteAsset(customer, assetNums) },
    {
      by: 'delete_asset of a source order, with trees of merchandise',
      filling: FULL.packages,
      order: (assetNums, source) => deleteAsset(customer, assetNums, source),
    },
    { by: 'delete_product', filling: FULL.products, order: (assetNums) => deleteProduct(customer, assetNums) },
    {
      by: 'delete_product of a source order, with trees of merchandise',
      filling: FULL.packages,
      order: (assetNums, source) => deleteProduct(customer, assetNums, {}, source),
    },
  ];

  it.each(KINDS)('touches 10,000 by $by, in any mode, and not one more', async ({ filling, order }) => {
    for (const mode of ['async', 'sync'] as const) {
      const { large, small, order: bought } = await buyFull(filling);
      const source = { srcLicenseOrderId: bought.licenseOrderId };
      if (mode === 'async') await expectTooLarge(order([...large, small], source));
      await carryOut[mode](order(large, source));
    }
  });

  it('revokes the contents of assets with 10,000 grants, in any mode, and of none with more', async () => {
    const { large, small, order: bought } = await buyFull(FULL.grants);
    const source = { srcLicenseOrderId: bought.licenseOrderId };
    await expectTooLarge(deleteProduct(customer, [...large, small], {}, source));
    await expectTooLarge(deleteAsset(customer, [...large, small], source));
    await carryOut.async(deleteProduct(customer, large, {}, source));
    await carryOut.sync(deleteAsset(customer, large));
  });

  it('moves 10,000 with a transfer, in any mode, and not one more', async () => {
    const { large, small } = await buyFull(FULL.packages);
    const next = await api.newCustomer();
    const transfer = (to: Customer, assetNums: string[]) =>
      newBuy(to, assetNums, {}, { transferedAssetNum: true, products: [] });
    await expectTooLarge(transfer(next, [...large, small]));
    await carryOut.async(transfer(next, large));
    const srcLicenseOrderId = await carryOut.sync(transfer(customer, large));
    await carryOut.async(deleteAsset(customer, large, { srcLicenseOrderId }));
  });

  it('buys for assets that hold 100,000, in any mode, and for none that hold more', async () => {
    const { large, small } = await buyLargeAssets({ db: stack.db, api }, customer, 50, { products: 1_998 });
    await expectTooLarge(newBuy(customer, [...large, small]));
    await carryOut.async(newBuy(customer, large));
  });
});

describe('orders', () => {
  const ASSETS = 11;
  const causesOf = (orders: readonly { cause: string | null }[]) => orders.map(({ cause }) => cause);
  const transfer = (to: Customer, assetNums: string[]) =>
    newBuy(to, assetNums, {}, { transferedAssetNum: true, products: [] });

  let large: string[];
  let next: Customer;
  beforeAll(async () => {
    ({ large } = await buyLargeAssets({ db: stack.db, api }, customer, ASSETS, FULL.products));
    next = await api.newCustomer();
  });

  it('that touch more than 20,000 together are refused in a sync call or a preview, and applied async', async () => {
    const parts = [large.slice(0, 5), large.slice(5, 10), large.slice(10)];
    const transfers = (to: Customer) => parts.map((assetNums) => transfer(to, assetNums));
    const tooLarge = (index: number) => {
      const message = expect.stringMatching(new RegExp(`^orderList\\[${index}\\]: .*\\b20000 products`));
      return { code: '13004', cause: 'batch_too_large', message };
    };
    expect(refusalOf(await api.submit(syncOf(...transfers(next))))).toMatchObject(tooLarge(2));
    const failing = deleteAsset(customer, [newAssetNum()]);
    const refused = refusalOf(await api.submitPreview(batchOf(failing, ...transfers(next))));
    expect(refused).toMatchObject(tooLarge(3));
    expect(refusalOf(await api.submit(syncOf(failing, ...transfers(next))))).toMatchObject({
      cause: 'asset_not_found',
    });
    expect(causesOf(await api.process(batchOf(...transfers(next))))).toEqual([null, null, null]);
    dataOf(await api.submit(syncOf(...transfers(customer).slice(0, 2))));
  });

  it('over the limit all fail by the thousands, of one caller or many, and those at the limit succeed', async () => {
    const isTooLarge = { state: 'failed', cause: 'order_too_large' };
    const over = (to: Customer, count: number) =>
      Array.from({ length: count }, () => transfer(to, large.slice(0, FULL_ASSETS + 1)));
    const callers = await Promise.all(Array.from({ length: 20 }, () => stack.newApi()));
    const others = Promise.all(
      callers.map(async (caller) => caller.process(batchOf(...over(await caller.newCustomer(), 250)))),
    );
    const owner = await api.newCustomer();
    const atLimit = large.slice(0, FULL_ASSETS);
    const batch = batchOf(...over(owner, 1_600), transfer(owner, atLimit));
    await api.accept(batch);
    const { succeeded, failed, orders } = await api.completed(batch);
    expect([succeeded, failed]).toEqual([1, 1_600]);
    for (const each of [...orders, ...(await others).flat()]) expect(each).toMatchObject(isTooLarge);
    await api.carryOut(deleteAsset(owner, atLimit));
  });
});
