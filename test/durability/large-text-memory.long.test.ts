import type { Customer } from '@lockstep/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Api, dataOf, refusalOf, untilServed } from '../harness/api.ts';
import { batchOf, newAssetNum, newBuy, productToBuy, type Sent } from '../harness/orders/orders.ts';
import { submitLarge, syncOf } from '../harness/orders/sync-batches.ts';
import { SmallDeployment } from '../harness/processes/small-deployment.ts';

/**
 * Orders that store nearly the maximum of text per call (rules 4), in processes with the memory of a 1 GiB container.
 */
const MEBIBYTE = 1_024 * 1_024;
const MOST_BYTES = 256 * MEBIBYTE;

let deployment: SmallDeployment;
let api: Api;
let customer: Customer;

beforeAll(async () => {
  deployment = await SmallDeployment.start();
  api = await deployment.newApi();
  customer = await api.newCustomer();
});
afterAll(() => deployment.close());

const many = <Item>(count: number, item: (index: number) => Item) => Array.from({ length: count }, (_, i) => item(i));

/** A product with features of `bytes` bytes in total. */
function productOf(bytes: number): Sent {
  const text = 'x'.repeat(255);
  const feature = { featureCode: text, featureName: text, featureValue: text, featureValueType: text };
  const each = { ...feature, trial: 0, trialEndDate: 0 };
  return productToBuy({ productFeatures: many(Math.floor(bytes / JSON.stringify(each).length), () => each) });
}

/**
 * An order for about as many numbers as a call may store. A product counts slightly more than its bytes in the call.
 */
function largestOrder(element: Sent): Sent {
  const bytes = 1.02 * Buffer.byteLength(JSON.stringify(element));
  return newBuy(customer, many(Math.min(10_000, Math.floor(MOST_BYTES / bytes)), newAssetNum), {}, element);
}

/** A text of three-byte characters. */
const CHINESE = '许'.repeat(255);

it('9 MiB are bought for as many numbers as fit, async, and shown by a preview', async () => {
  const element = { products: [productOf(9 * MEBIBYTE)] };
  const [preview] = dataOf(await untilServed(() => api.submitPreview(batchOf(largestOrder(element)))));
  expect(preview).toMatchObject({ state: 'succeeded' });
  const [processed] = await api.process(batchOf(largestOrder(element)));
  expect(processed).toMatchObject({ state: 'succeeded' });
  deployment.expectLittleMemory('9 MiB previewed and async');
});

it('25 KiB are bought for 10,000 numbers, sync, and twice as much is refused in any mode', async () => {
  const bought = await submitLarge(
    deployment.database.db,
    api,
    syncOf(largestOrder({ products: [productOf(25 * 1_024)] })),
  );
  if (bought !== null) dataOf(bought);
  deployment.expectLittleMemory('25 KiB sync');
  const twice = newBuy(customer, many(10_000, newAssetNum), {}, { products: [productOf(50 * 1_024)] });
  for (const refuse of [api.submit(batchOf(twice)), api.submit(syncOf(twice)), api.submitPreview(batchOf(twice))]) {
    expect(refusalOf(await refuse)).toMatchObject({ cause: 'batch_too_large' });
  }
});

it('extended attributes of 24 KiB are bought for 10,000 numbers and replaced, async', async () => {
  const assetExtendList = many(30, (index) => ({ extendCode: `${index}`, extendValue: CHINESE }));
  const order = largestOrder({ assetExtendList });
  for (let times = 0; times < 2; times++) {
    const [processed] = await api.process(batchOf(order));
    expect(processed).toMatchObject({ state: 'succeeded' });
  }
  deployment.expectLittleMemory('extended attributes async');
});

it('a preview lists the maximum of products of an order, with long URIs', async () => {
  const products = many(9_990, (index) => productToBuy({ productUri: `${index}${CHINESE.slice(5)}` }));
  const order = newBuy(customer, many(20, newAssetNum), {}, { products });
  const [preview] = dataOf(await untilServed(() => api.submitPreview(batchOf(order))));
  expect(preview.products).toHaveLength(20 * 9_990);
  deployment.expectLittleMemory('a preview of long URIs');
});
