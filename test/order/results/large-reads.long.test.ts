import { type AssetId, buildPath, type Customer, findOperation, type ProductNode } from '@lockstep/contract';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Api, dataOf } from '../../harness/api.ts';
import { idsOfNumbers, insertEmployees } from '../../harness/members/holdings.ts';
import { MemberCenter } from '../../harness/members/member-center.ts';
import { openAnswer, readOn } from '../../harness/network/unread-answers.ts';
import {
  batchOf,
  deleteProduct,
  merchandise,
  newAssetNum,
  newBuy,
  productToBuy,
  productToRevoke,
} from '../../harness/orders/orders.ts';
import { type Stack, startStack } from '../../harness/stack.ts';

/** Large assets (rules 6.7 and 8) and large previews (rules 6.6), requested by clients that stop reading. */
const PRODUCTS = 9_500;

let stack: Stack;
let api: Api;
let customer: Customer;
let assetNum: string;

const TEXT = 'x'.repeat(250);
const FEATURE = { featureCode: TEXT, featureName: TEXT, featureValue: TEXT, featureValueType: TEXT };
/** An answer with all these products exceeds the buffers of a connection. */
const longProduct = (place: number) =>
  productToBuy({ productUri: `gms-${place}`, productFeatures: [{ ...FEATURE, trial: 0, trialEndDate: 0 }] });
const largeElement = () => ({ products: Array.from({ length: PRODUCTS }, (_, place) => longProduct(place)) });
const uris = Array.from({ length: PRODUCTS }, (_, place) => `gms-${place}`);
const urisOf = (products: ProductNode[]) => products.map(({ productUri }) => productUri);

const pathOf = (num: string) => buildPath('getAsset', { assetNum: num });
const read = async (by: Api, num: string) => dataOf(await by.call('GET', `/asset/${num}`));

/** Records whether a call has been answered. */
function watch<Result>(call: Promise<Result>) {
  const watched = { isAnswered: false, call };
  const note = () => {
    watched.isAnswered = true;
  };
  call.then(note, note);
  return watched;
}

/** Counts the API's connections that run a statement or hold a transaction. */
async function countBusy(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and application_name like 'lockstep-%' and state <> 'idle'`.execute(stack.db);
  return rows[0]!.count;
}

beforeAll(async () => {
  stack = await startStack({ worker: false });
  api = await stack.newApi();
  customer = await api.newCustomer();
  assetNum = newAssetNum();
  await api.carryOut(newBuy(customer, [assetNum], {}, largeElement()));
});
afterAll(() => stack.close());

it('clients that stop reading hold at most two large assets of an application, and do not block others', async () => {
  const smallNum = newAssetNum();
  await api.carryOut(newBuy(customer, [smallNum]));
  const held = [await openAnswer(api, pathOf(assetNum)), await openAnswer(api, pathOf(assetNum))];
  const third = watch(read(api, assetNum));
  // Both calls start after the third and end before it.
  const other = await stack.newApi();
  expect(urisOf((await read(other, assetNum)).products)).toEqual(uris);
  expect((await read(api, smallNum)).products).toHaveLength(1);
  await expect.poll(countBusy).toBe(0);
  expect(third.isAnswered).toBe(false);
  held[0]!.destroy();
  expect(urisOf((await third.call).products)).toEqual(uris);
  // A client that starts to read later gets the whole answer.
  expect(urisOf((await readOn(held[1]!)).data.products)).toEqual(uris);
  await expect.poll(() => stack.logLines.filter((line) => line.includes('"client left"')).length).toBe(1);
  expect(stack.logLines.filter((line) => line.includes('"level":50'))).toEqual([]);
});

it('an answer shows one moment, even if the assets change before the client reads on', async () => {
  const num = newAssetNum();
  await api.carryOut(newBuy(customer, [num], {}, largeElement()));
  const before = await read(api, num);
  const held = await openAnswer(api, pathOf(num));
  const next = await api.newCustomer();
  await api.carryOut(newBuy(next, [num], {}, { products: [], transferedAssetNum: true }));
  const afterTransfer = await openAnswer(api, pathOf(num));
  const products = uris.slice(0, 4_000).map((productUri) => productToRevoke({ productUri }));
  await api.carryOut(deleteProduct(next, [], {}, { assets: [{ assetNos: [num], products }] }));
  expect((await readOn(held)).data).toEqual(before);
  const transferred = (await readOn(afterTransfer)).data;
  expect(urisOf(transferred.products)).toEqual(uris);
  expect(new Set(transferred.products.map((product: ProductNode) => product.customerId))).toEqual(
    new Set([next.customerId]),
  );
  expect(transferred.products.map((product: ProductNode) => product.licenseOrderId)).toEqual(
    Array(PRODUCTS).fill(transferred.licenseOrderIds[0]),
  );
  expect(urisOf((await read(api, num)).products)).toEqual(uris.slice(4_000));
});

it('thousands of nested merchandise come as they were bought, in several chunks', async () => {
  const num = newAssetNum();
  const leaf = (name: string) =>
    merchandise({ merchandiseNum: name, licenseOrderProductList: [productToBuy({ productUri: name })] });
  const merchandises = Array.from({ length: 1_000 }, (_, place) =>
    merchandise({
      merchandiseNum: `${place}`,
      children: [leaf(`${place}-a`), leaf(`${place}-b`)],
      licenseOrderProductList: [productToBuy({ productUri: `${place}` })],
    }),
  );
  await api.carryOut(newBuy(customer, [num], {}, { products: [longProduct(0)], merchandises }));
  const asset = await read(api, num);
  expect(urisOf(asset.products)).toEqual(['gms-0']);
  const shape = ({
    merchandiseNum,
    children,
    productInstanceList,
  }: (typeof asset)['merchandises'][number]): unknown => [
    merchandiseNum,
    children?.map(shape) ?? null,
    urisOf(productInstanceList),
  ];
  expect(asset.merchandises.map(shape)).toEqual(
    merchandises.map((_, place) => [
      `${place}`,
      ['a', 'b'].map((part) => [`${place}-${part}`, null, [`${place}-${part}`]]),
      [`${place}`],
    ]),
  );
});

it('M7 reads a lock with three large assets lent into it one call at a time, without blocking others', async () => {
  const center = await MemberCenter.open(stack);
  const nums = Array.from({ length: 3 }, newAssetNum);
  await center.api.carryOut(newBuy(center.customer, nums, {}, largeElement()));
  const ids = (await idsOfNumbers(stack.db, nums)) as AssetId[];
  const [kim] = (await insertEmployees(stack.db, center, 1)) as [string];
  const [lock] = await center.buyLocks(1);
  await center.assign(kim, ...nums);
  dataOf(await center.lend(kim, lock!.assetNum, ids));
  const path = buildPath('readAssetContents', { assetId: lock!.assetId });
  const headers = { clientToken: center.api.token, userToken: center.userToken };
  const held = await openAnswer(center.api, path, { headers });
  const next = watch(center.ask('readAssetContents', { assetId: lock!.assetId }));
  expect(urisOf((await read(api, assetNum)).products)).toEqual(uris);
  await expect.poll(countBusy).toBe(0);
  expect(next.isAnswered).toBe(false);
  held.destroy();
  const { productInstanceList } = dataOf(await next.call);
  // The products of one order, asset by asset, then the lock's own.
  expect(urisOf(productInstanceList)).toEqual([...uris, ...uris, ...uris, 'gms-100']);
});

it('clients that stop reading hold at most two long previews of an application, and do not block others', async () => {
  const products = uris.map((productUri) => productToBuy({ productUri }));
  const batch = () => batchOf(newBuy(customer, Array.from({ length: 20 }, newAssetNum), {}, { products }));
  const { path } = findOperation('previewBatchOrder');
  const open = (by: Api) => openAnswer(by, path, { query: { appKey: by.credentials.appKey }, body: batch() });
  const held = [await open(api), await open(api)];
  const third = watch(api.submitPreview(batch()));
  const other = await stack.newApi();
  expect((await readOn(await open(other))).data[0].products).toHaveLength(20 * PRODUCTS);
  expect(dataOf(await api.submitPreview(batchOf(newBuy(customer, [newAssetNum()]))))).toMatchObject([
    { state: 'succeeded' },
  ]);
  expect(third.isAnswered).toBe(false);
  held[0]!.destroy();
  expect(dataOf(await third.call)[0].products).toHaveLength(20 * PRODUCTS);
  expect((await readOn(held[1]!)).data[0].products.at(-1)).toEqual({
    assetNum: expect.any(String),
    productUri: `gms-${PRODUCTS - 1}`,
    action: 'create',
    id: null,
  });
});
