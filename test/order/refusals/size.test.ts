import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { pathIn, refusalOf } from '../../harness/api.ts';
import { pastBatchTriggers } from '../../harness/databases/past-triggers.ts';
import {
  batchOf,
  deleteProduct,
  merchandise,
  newAssetNum,
  newBuy,
  productToBuy,
  productToRevoke,
  type Sent,
} from '../../harness/orders/orders.ts';
import { testStack } from '../../harness/stack.ts';

/** Bodies of a few kilobytes that would need gigabytes of work are refused, and nothing is stored (rules 6.1). */
describe('a batch over the work limits', async () => {
  const { stack, api } = await testStack();
  const customer = await api.newCustomer();

  const many = <Item>(count: number, item: (index: number) => Item) =>
    Array.from({ length: count }, (_, index) => item(index));
  const numbers = (count: number) => many(count, () => newAssetNum());

  const feature = (changes: Sent) => ({
    featureCode: 'f',
    featureName: 'Feature',
    featureValue: '1',
    featureValueType: 'int',
    trial: 0,
    trialEndDate: 0,
    ...changes,
  });

  /** Counts the products and merchandise of an element, nested ones included. */
  function countInstances({ products = [], merchandises = [] }: { products?: Sent[]; merchandises?: Sent[] }): number {
    return merchandises.reduce((sum, { licenseOrderProductList, children = [] }) => {
      const inside = { products: licenseOrderProductList as Sent[], merchandises: children as Sent[] };
      return sum + 1 + countInstances(inside);
    }, products.length);
  }

  async function expectRefused(body: unknown, cause: string, path: string) {
    const refusal = refusalOf(await api.submit(body));
    expect(refusal).toMatchObject({ code: '13004', cause });
    expect(pathIn(refusal.message)).toBe(path);
    const { rows } = await sql`select from batch`.execute(stack.db);
    expect(rows).toHaveLength(0);
  }

  it('is refused for an element with more extended attributes than an asset may have', async () => {
    const element = (count: number) => ({ assetExtendList: many(count, (index) => ({ extendCode: `${index}` })) });
    const order = (count: number) => newBuy(customer, numbers(1), {}, element(count));
    await expectRefused(batchOf(order(101)), 'field_invalid', 'orderList[0].assets[0].assetExtendList');
    expect(await api.preview(batchOf(order(100)))).toMatchObject([{ state: 'succeeded' }]);
  });

  it('is refused if numbers times products exceed the instances that a call may create', async () => {
    const products = many(100, () => productToBuy());
    const order = newBuy(customer, numbers(101), {}, { products });
    await expectRefused(batchOf(newBuy(customer, numbers(1)), order), 'batch_too_large', 'orderList[1]');
  });

  it('counts a number without products, as in a transfer', async () => {
    const transfer = { transferedAssetNum: true, products: undefined };
    const orders = many(6, () => newBuy(customer, numbers(2_000), {}, transfer));
    await expectRefused(batchOf(...orders), 'batch_too_large', 'orderList[5]');
    expect(refusalOf(await api.submitPreview(batchOf(...orders))).cause).toBe('batch_too_large');
  });

  it('counts nested merchandise, and the products that a revocation looks for', async () => {
    const nested = merchandise({ children: many(50, () => merchandise()) });
    const buy = newBuy(customer, numbers(100), {}, { products: [], merchandises: [nested] });
    await expectRefused(batchOf(buy), 'batch_too_large', 'orderList[0]');
    const products = many(100, () => productToRevoke());
    const revoke = deleteProduct(customer, [], {}, { assets: [{ assetNos: numbers(101), products }] });
    await expectRefused(batchOf(revoke), 'batch_too_large', 'orderList[0]');
  });

  it.each([
    ['products', (text: Sent) => ({ products: [productToBuy({ productFeatures: many(300, () => feature(text)) })] })],
    [
      'merchandises',
      (text: Sent) => {
        const inside = merchandise({
          licenseOrderProductList: [productToBuy({ productFeatures: many(300, () => feature(text)) })],
        });
        return { products: [], merchandises: [merchandise({ children: [inside] })] };
      },
    ],
    [
      'extended attributes',
      ({ featureName }: Sent) => ({
        assetExtendList: many(90, (index) => ({ extendCode: `${index}`, extendValue: featureName })),
      }),
    ],
  ])('is refused in any mode if %s times numbers exceed 16 MiB of text', async (_, build) => {
    const element = build({ featureName: '许'.repeat(255) });
    const order = (count: number) => newBuy(customer, numbers(count), {}, element);
    expect(await api.preview(batchOf(order(3)))).toMatchObject([{ state: 'succeeded' }]);
    const batch = batchOf(order(50), order(250));
    await expectRefused(batch, 'batch_too_large', 'orderList[1]');
    await expectRefused({ ...batch, syncMode: 'sync' }, 'batch_too_large', 'orderList[1]');
    expect(refusalOf(await api.submitPreview(batch))).toMatchObject({ cause: 'batch_too_large' });
  });

  it.each([
    ['products', () => ({ products: many(1_990, () => productToBuy()), merchandises: [merchandise()] })],
    [
      'trees of merchandise',
      () => {
        const child = merchandise({ licenseOrderProductList: many(8, () => productToBuy()) });
        const tree = merchandise({ licenseOrderProductList: [], children: many(11, () => child) });
        return { products: [], merchandises: [...many(19, () => tree), merchandise({ children: [child] })] };
      },
    ],
  ])('puts 2,000 instances on one asset, and is refused for one more: by %s', async (_, build) => {
    const element = build();
    const size = countInstances(element);
    const filled = (instances: number) => {
      const products = [...element.products, ...many(instances - size, () => productToBuy())];
      return newBuy(customer, [], { assets: [{ assetNos: numbers(1), ...element, products }] });
    };
    expect(await api.preview(batchOf(filled(2_000)))).toMatchObject([{ state: 'succeeded' }]);
    const small = newBuy(customer, numbers(1));
    const { assets } = filled(2_001);
    const order = { ...small, sequence: 0, assets: [...(small.assets as unknown[]), ...(assets as unknown[])] };
    const batch = batchOf(small, order);
    await expectRefused(batch, 'batch_too_large', 'orderList[1].assets[1]');
    const refusal = refusalOf(await api.submitPreview(batch));
    expect(refusal).toMatchObject({ cause: 'batch_too_large', message: expect.stringContaining('2000') });
  });

  it('is accepted and applied right up to the limit', async () => {
    const order = newBuy(customer, numbers(500), {}, { products: many(20, () => productToBuy()) });
    const [result] = await api.process(batchOf(order));
    expect(result).toMatchObject({ state: 'succeeded', assets: 500, products: 10_000 });
    await pastBatchTriggers(stack.db, async (trx) => {
      await sql`delete from lane_chunk`.execute(trx);
      await sql`delete from batch`.execute(trx);
    });
  });
});
