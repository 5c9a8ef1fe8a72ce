import type { IncomingMessage } from 'node:http';
import {
  buildPath,
  type Customer,
  findOperation,
  MAX_EXTENDED_ATTRIBUTES,
  MAX_INSTANCES_ON_ASSET,
} from '@lockstep/contract';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Api, dataOf, refusalOf, untilServed } from '../harness/api.ts';
import { MemberCenter } from '../harness/members/member-center.ts';
import { openAnswer, readOn } from '../harness/network/unread-answers.ts';
import { fillAssets } from '../harness/orders/large-assets.ts';
import {
  batchOf,
  deleteAsset,
  deleteProduct,
  newAssetNum,
  newBuy,
  productToBuy,
  productToRevoke,
  type Sent,
} from '../harness/orders/orders.ts';
import { submitLarge, syncOf } from '../harness/orders/sync-batches.ts';
import { SmallDeployment } from '../harness/processes/small-deployment.ts';

/** Orders at the limit (rules 6.5 Size), and one far over it, in processes with the memory of a 1 GiB container. */
const PRODUCTS = 9_500;
/** The maximum of assets that one order touches. */
const ASSETS_OF_ORDER = 21;
const ALL_ASSETS = 160;
/** Assets with 150 kB of extended attributes each. */
const LICENSES = 1_000;
/** Applications whose clients stop reading. */
const CALLERS = 3;

let deployment: SmallDeployment;
let center: MemberCenter;
let api: Api;
let customer: Customer;
let next: Customer;
/** The assets that no order has revoked or transferred. */
const untouched: string[] = [];
/** More assets, with each product in a merchandise of its own. */
let packed: string[];

beforeAll(async () => {
  deployment = await SmallDeployment.start();
  const { db } = deployment.database;
  center = await MemberCenter.open({ db, newApi: () => deployment.newApi() });
  ({ api, customer } = center);
  next = await api.newCustomer();
  packed = Array.from({ length: ASSETS_OF_ORDER }, newAssetNum);
  untouched.push(...Array.from({ length: ALL_ASSETS - ASSETS_OF_ORDER }, newAssetNum));
  await api.carryOut(newBuy(customer, [...untouched, ...packed]));
  await fillAssets(db, untouched, { products: PRODUCTS - 1 });
  await fillAssets(db, packed, { products: 1, packages: PRODUCTS / 2 - 1 });
});
afterAll(() => deployment.close());

const takeAssets = () => untouched.splice(0, ASSETS_OF_ORDER);

/** Runs an order async. It must get an outcome. */
async function run(order: Sent) {
  const [processed] = await api.process(batchOf(order));
  return processed!;
}

it('an order for 160 assets of 9,500 products is refused in any mode, and takes no memory', async () => {
  const order = deleteAsset(customer, [...untouched, ...packed]);
  expect(await run(order)).toMatchObject({ state: 'failed', cause: 'order_too_large' });
  expect(dataOf(await api.submitPreview(batchOf(order)))).toMatchObject([{ cause: 'order_too_large' }]);
  const refused = await submitLarge(deployment.database.db, api, syncOf(order));
  if (refused !== null) expect(refusalOf(refused)).toMatchObject({ cause: 'order_too_large' });
  deployment.expectLittleMemory('an order that is too large');
});

it('clients that stop reading long answers hold few places and little memory, and others are served', async () => {
  const full = newAssetNum();
  await api.carryOut(newBuy(customer, [full]));
  await fillAssets(deployment.database.db, [full], { products: MAX_INSTANCES_ON_ASSET - 1 });
  const asset = (await center.assets()).find(({ assetNum }) => assetNum === full)!;
  const headers = { clientToken: api.token, userToken: center.userToken };
  const openAsset = (by: Api) => openAnswer(by, buildPath('getAsset', { assetNum: full }));
  const openContents = () => openAnswer(api, buildPath('readAssetContents', { assetId: asset.assetId }), { headers });
  const openBatch = (by: Api, id: 'createBatchOrder' | 'previewBatchOrder', body: unknown) =>
    openAnswer(by, findOperation(id).path, { query: { appKey: by.credentials.appKey }, body });
  const revocation = () => deleteAsset(customer, untouched.slice(-ASSETS_OF_ORDER));
  const openPreview = (by: Api) => openBatch(by, 'previewBatchOrder', batchOf(revocation()));

  const callers = await Promise.all(Array.from({ length: CALLERS }, () => deployment.newApi()));
  const held = await Promise.all([
    openContents(),
    openContents(),
    ...callers.flatMap((by) => [openAsset(by), openAsset(by)]),
  ]);
  const previews = callers.flatMap((by) => Array.from({ length: 3 }, () => openPreview(by)));
  const begun = new Set<IncomingMessage>();
  for (const preview of previews)
    void preview.then(
      // Calls that get no place before they time out are refused.
      (answer) => answer.statusCode === 200 && begun.add(answer),
      () => {},
    );
  await expect.poll(() => begun.size).toBe(4);
  held.push(await openBatch(api, 'createBatchOrder', syncOf(deleteAsset(customer, takeAssets()))));

  const neighbor = await deployment.newApi();
  const small = newAssetNum();
  await neighbor.carryOut(newBuy(next, [small]));
  expect(await neighbor.preview(batchOf(deleteAsset(next, [small])))).toMatchObject([{ state: 'succeeded' }]);
  expect(dataOf(await neighbor.call('GET', `/asset/${full}`)).products).toHaveLength(MAX_INSTANCES_ON_ASSET);
  await neighbor.carryOut(deleteAsset(next, [small]));
  expect(begun.size).toBe(4);
  deployment.expectLittleMemory('answers that are not read');

  // Each place goes to the next call: started answers are aborted, and the others are read.
  for (const answer of [...held, ...begun]) answer.destroy();
  const [another] = callers;
  expect((await readOn(await openAsset(another!))).data.products).toHaveLength(MAX_INSTANCES_ON_ASSET);
  expect((await readOn(await openContents())).data.productInstanceList).toHaveLength(MAX_INSTANCES_ON_ASSET);
  const waiting = previews.map(async (preview) => {
    const answer = await preview;
    if (!answer.destroyed) await readOn(answer);
  });
  await Promise.all(waiting);
  expect((await readOn(await openPreview(neighbor))).data[0].products).toHaveLength(ASSETS_OF_ORDER * PRODUCTS);
  deployment.expectLittleMemory('answers that are read');
});

it('assets with the maximum of extended attributes are listed, and revoked by one order', async () => {
  const licenseType = 'cloud_customer';
  const assetNums = Array.from({ length: LICENSES }, newAssetNum);
  const [bought] = await api.carryOut(newBuy(customer, assetNums, { licenseType }));
  await sql`
    update asset set extends = (
      select jsonb_object_agg(rpad(place::text, 255, '街'), repeat('街', 255))
      from generate_series(1, ${MAX_EXTENDED_ATTRIBUTES}::int) as place
    ) where license_type = ${licenseType}`.execute(deployment.database.db);
  const list = await openAnswer(api, buildPath('listVirtualAssets', customer));
  let bytes = 0;
  for await (const piece of list) bytes += (piece as Buffer).length;
  expect(bytes).toBeGreaterThan(LICENSES * MAX_EXTENDED_ATTRIBUTES * 255 * 2 * Buffer.byteLength('街'));
  const source = { licenseType, srcLicenseOrderId: bought!.licenseOrderId };
  expect(await run(deleteAsset(customer, assetNums, source))).toMatchObject({ state: 'succeeded', assets: LICENSES });
  deployment.expectLittleMemory('extended attributes');
});

it('the maximum of one order is revoked with its assets, async and sync, and previewed', async () => {
  const revoked = { state: 'succeeded', assets: ASSETS_OF_ORDER, products: ASSETS_OF_ORDER * PRODUCTS };
  expect(await run(deleteAsset(customer, takeAssets()))).toMatchObject(revoked);
  deployment.expectLittleMemory('delete_asset async');
  const assetNums = takeAssets();
  const [preview] = dataOf(await untilServed(() => api.submitPreview(batchOf(deleteAsset(customer, assetNums)))));
  expect(preview.products).toHaveLength(ASSETS_OF_ORDER * PRODUCTS);
  const answer = await submitLarge(deployment.database.db, api, syncOf(deleteAsset(customer, assetNums)));
  if (answer !== null) dataOf(answer);
  deployment.expectLittleMemory('delete_asset previewed and sync');
});

it('the maximum is transferred', async () => {
  const transfer = newBuy(next, takeAssets(), {}, { transferedAssetNum: true, products: [] });
  expect(await run(transfer)).toMatchObject({ state: 'succeeded' });
  deployment.expectLittleMemory('a transfer async');
});

it('the maximum is revoked product by product, with their merchandise', async () => {
  const products = ASSETS_OF_ORDER * (PRODUCTS / 2 + 1);
  expect(await run(deleteProduct(customer, packed))).toMatchObject({ state: 'succeeded', products });
  deployment.expectLittleMemory('delete_product by trees of merchandise async');
});

it('the maximum is bought, each with its own URI, and revoked by name', async () => {
  const uris = Array.from({ length: PRODUCTS }, (_, place) => `gms-${place}`);
  const assetNums = Array.from({ length: ASSETS_OF_ORDER }, newAssetNum);
  const order = newBuy(customer, assetNums, {}, { products: uris.map((productUri) => productToBuy({ productUri })) });
  expect(await run(order)).toMatchObject({ state: 'succeeded' });
  deployment.expectLittleMemory('new_buy async');
  const products = uris.map((productUri) => productToRevoke({ productUri, strictMatchWhenDelete: true }));
  const revocation = deleteProduct(customer, [], {}, { assets: [{ assetNos: assetNums, products }] });
  const [preview] = dataOf(await untilServed(() => api.submitPreview(batchOf(revocation))));
  expect(preview.products).toHaveLength(ASSETS_OF_ORDER * PRODUCTS);
  deployment.expectLittleMemory('delete_product of each previewed');
  expect(await run(revocation)).toMatchObject({ state: 'succeeded', products: ASSETS_OF_ORDER * PRODUCTS });
  deployment.expectLittleMemory('delete_product of each async');
});
