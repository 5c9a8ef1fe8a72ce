import { MAX_BATCH_BYTES, MAX_INSTANCES, MAX_INSTANCES_ON_ASSET, MAX_ORDERS_PER_BATCH } from '@lockstep/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Api, dataOf, untilServed } from '../harness/api.ts';
import { MemberCenter } from '../harness/members/member-center.ts';
import { buyLargeAssets, FULL } from '../harness/orders/large-assets.ts';
import { batchOf, deleteAsset, newAssetNum, newBuy, productToBuy, type Sent } from '../harness/orders/orders.ts';
import { syncOf } from '../harness/orders/sync-batches.ts';
import { SmallDeployment } from '../harness/processes/small-deployment.ts';

/** Calls of every kind at their limits (rules 4 and 6.5), several at once, in processes with little memory. */
const AT_ONCE = 4;
const FULL_ASSETS = MAX_INSTANCES / MAX_INSTANCES_ON_ASSET;

let deployment: SmallDeployment;
let center: MemberCenter;
let callers: Api[];

beforeAll(async () => {
  deployment = await SmallDeployment.start();
  center = await MemberCenter.open({ db: deployment.database.db, newApi: () => deployment.newApi() });
  callers = await Promise.all(Array.from({ length: AT_ONCE }, () => deployment.newApi()));
});
afterAll(() => deployment.close());

const many = <Item>(count: number, item: (index: number) => Item) => Array.from({ length: count }, (_, i) => item(i));

/** A product of about `bytes` bytes, in features. */
function productOf(bytes: number): Sent {
  const text = 'x'.repeat(255);
  const feature = { featureCode: text, featureName: text, featureValue: text, featureValueType: text };
  const each = { ...feature, trial: 0, trialEndDate: 0 };
  return productToBuy({ productFeatures: many(Math.floor(bytes / JSON.stringify(each).length), () => each) });
}

/** Previews, applies async and applies sync what each of several callers buys or revokes. */
async function inAnyMode(buildOrders: () => Promise<Sent[]>): Promise<void> {
  const sent: [Api, Sent[], Sent[]][] = [];
  for (const caller of callers) sent.push([caller, await buildOrders(), await buildOrders()]);
  await Promise.all(
    sent.map(async ([caller, orders, others]) => {
      for (const preview of dataOf(await untilServed(() => caller.submitPreview(batchOf(...orders)))))
        expect(preview).toMatchObject({ cause: null });
      for (const outcome of await caller.process(batchOf(...orders))) expect(outcome).toMatchObject({ cause: null });
      const batch = syncOf(...others);
      dataOf(await untilServed(() => caller.submit(batch)));
    }),
  );
}

it('the longest batches with the most orders', async () => {
  await inAnyMode(async () => {
    const customer = await center.api.newCustomer();
    const order = () => newBuy(customer, [newAssetNum()], {}, { products: [productOf(1_100)] });
    const length = JSON.stringify(order()).length + 1;
    return many(Math.min(MAX_ORDERS_PER_BATCH, Math.floor((MAX_BATCH_BYTES - 1_000) / length)), order);
  });
  deployment.expectLittleMemory('the longest batches');
});

it.each([
  ['of one product', 1_550, MAX_INSTANCES],
  ['of a product with thousands of features', 3_900_000, 4],
])('the most text %s', async (_what, bytes, count) => {
  await inAnyMode(async () => [
    newBuy(await center.api.newCustomer(), many(count, newAssetNum), {}, { products: [productOf(bytes)] }),
  ]);
  deployment.expectLittleMemory('the most text');
});

it('the most products, bought and revoked', async () => {
  const products = many(MAX_INSTANCES_ON_ASSET, (place) => productToBuy({ productUri: `gms-${place}` }));
  await inAnyMode(async () => [
    newBuy(await center.api.newCustomer(), many(FULL_ASSETS, newAssetNum), {}, { products }),
  ]);
  deployment.expectLittleMemory('bought');
  await inAnyMode(async () => {
    const customer = await center.api.newCustomer();
    const at = { db: deployment.database.db, api: center.api };
    return [deleteAsset(customer, (await buyLargeAssets(at, customer, FULL_ASSETS, FULL.packages)).large)];
  });
  deployment.expectLittleMemory('revoked');
});

it('full assets and long batches of failed orders, read by several callers', async () => {
  const { customer, api } = center;
  const at = { db: deployment.database.db, api };
  const [assetNum] = (await buyLargeAssets(at, customer, 1, FULL.products)).large;
  const asset = (await center.assets()).find((each) => each.assetNum === assetNum)!;
  const failed = batchOf(
    ...many(1_900, () =>
      newBuy({ ...customer, customerId: '404' }, [newAssetNum()], {}, { products: [productOf(1_100)] }),
    ),
  );
  await api.process(failed);
  const { channelCode, channelOrderId } = failed;
  const read = async (caller: Api) => {
    expect(dataOf(await caller.call('GET', `/asset/${assetNum}`)).products).toHaveLength(MAX_INSTANCES_ON_ASSET);
    const contents = await center.ask('readAssetContents', { assetId: asset.assetId });
    expect(dataOf(contents).productInstanceList).toHaveLength(MAX_INSTANCES_ON_ASSET);
    const query = { channelCode, channelOrderId };
    expect(dataOf(await api.call('GET', '/licenseOrder/batchOrder/failed', { query })).orderList).toHaveLength(1_900);
  };
  await Promise.all([...callers, ...callers].map(read));
  deployment.expectLittleMemory('read');
});
