import { MAX_BATCH_BYTES, MAX_INSTANCES, MAX_INSTANCES_ON_ASSET, MAX_ORDERS_PER_BATCH } from '@lockstep/contract';
import { afterAll, expect, it } from 'vitest';
import { type Api, dataOf, untilServed } from '../harness/api.ts';
import { checkNumbers } from '../harness/databases/numbers.ts';
import { MemberCenter } from '../harness/members/member-center.ts';
import { buyLargeAssets, FULL } from '../harness/orders/large-assets.ts';
import { batchOf, deleteAsset, newAssetNum, newBuy, productToBuy, type Sent } from '../harness/orders/orders.ts';
import { syncOf } from '../harness/orders/sync-batches.ts';
import { testDeployment } from '../harness/processes/deployment.ts';
import { HEAP_OF_512_MIB, readMebibytes } from '../harness/processes/service-process.ts';

/** Calls of every kind at their limits (rules 4 and 6.5), several at once, in processes with little memory. */
const AT_ONCE = 4;
const FULL_ASSETS = MAX_INSTANCES / MAX_INSTANCES_ON_ASSET;

/** Leaves memory in 512 MiB for everything besides the order. */
const MOST_MEBIBYTES = 340;

/** An API and a worker, each limited like a container of 512 MiB. */
const deployment = await testDeployment({ env: { NODE_OPTIONS: HEAP_OF_512_MIB } });
const { db } = deployment.database;
const newApi = async () => (await deployment.newApis())[0]!;
const center = await MemberCenter.open({ db, newApi });
const callers = await Promise.all(Array.from({ length: AT_ONCE }, newApi));
afterAll(async () => expect(await checkNumbers(db)).toEqual([]));

/** Expects each process to have used little memory so far, and prints its peak. */
function expectLittleMemory(after: string): void {
  for (const [index, what] of ['API', 'worker'].entries()) {
    const mebibytes = readMebibytes(deployment.processes[index]!.pid, 'VmHWM');
    process.stdout.write(`${after}: the ${what} took ${mebibytes} MiB at most\n`);
    expect(mebibytes).toBeLessThan(MOST_MEBIBYTES);
  }
}

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
  expectLittleMemory('the longest batches');
});

it.each([
  ['of one product', 1_550, MAX_INSTANCES],
  ['of a product with thousands of features', 3_900_000, 4],
])('the most text %s', async (_what, bytes, count) => {
  await inAnyMode(async () => [
    newBuy(await center.api.newCustomer(), many(count, newAssetNum), {}, { products: [productOf(bytes)] }),
  ]);
  expectLittleMemory('the most text');
});

it('the most products, bought and revoked', async () => {
  const products = many(MAX_INSTANCES_ON_ASSET, (place) => productToBuy({ productUri: `gms-${place}` }));
  await inAnyMode(async () => [
    newBuy(await center.api.newCustomer(), many(FULL_ASSETS, newAssetNum), {}, { products }),
  ]);
  expectLittleMemory('bought');
  await inAnyMode(async () => {
    const customer = await center.api.newCustomer();
    const at = { db, api: center.api };
    return [deleteAsset(customer, (await buyLargeAssets(at, customer, FULL_ASSETS, FULL.packages)).large)];
  });
  expectLittleMemory('revoked');
});

it('full assets and long batches of failed orders, read by several callers', async () => {
  const { customer, api } = center;
  const at = { db, api };
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
  expectLittleMemory('read');
});
