import { randomUUID } from 'node:crypto';
import { type EnterpriseAsset, type SeatCounts, Seats } from '@lockstep/contract';
import { describe, expect, it } from 'vitest';
import { dataOf } from '../harness/api.ts';
import { idsOfNumbers } from '../harness/members/holdings.ts';
import { MemberCenter } from '../harness/members/member-center.ts';
import { deleteAsset, deleteProduct, newAssetNum, newBuy, productToBuy, type Sent } from '../harness/orders/orders.ts';
import { testStack } from '../harness/stack.ts';

/** How many seats an enterprise has, over HTTP (rules 8). */

const { stack } = await testStack({ worker: false });
const center = await MemberCenter.open(stack);
const elsewhere = await MemberCenter.open(stack, center.api);

const inDays = (days: number) => Date.now() + days * 86_400_000;
const OVER = { limitEndDate: inDays(-1) };
const SOON = { limitEndDate: inDays(29) };
const LATER = { limitEndDate: inDays(31) };
const TO_COME = { limitStartDate: inDays(1), ...SOON };

const NONE = { owned: 0, assigned: 0, lent: 0, free: 0, expired: 0, endingSoon: 0 };
const count = (counts: Partial<SeatCounts>): SeatCounts => ({ ...NONE, owned: 1, ...counts });
const readSeats = async () => Seats.parse(dataOf(await center.ask('getSeats', {})));

const ofAsset = ({ assetNum }: EnterpriseAsset) => ({ assetNums: [assetNum], operatorIdentity: 'it' });
const assign = ({ assetNum }: EnterpriseAsset) => center.assign(center.cloudId, assetNum);
async function lend(asset: EnterpriseAsset): Promise<void> {
  await assign(asset);
  const [lock] = await center.buyLocks();
  dataOf(await center.lend(center.cloudId, lock!.assetNum, [asset.assetId]));
}

/** What a bought asset has: its products' fields, its own, its order's; and what happens then. */
interface Bought {
  products?: Sent[];
  own?: Sent;
  order?: Sent;
  after?: (asset: EnterpriseAsset) => unknown;
}

it('an enterprise without assets has no seats', async () => {
  expect(await readSeats()).toEqual({ products: [], licenseTypes: [], total: NONE });
});

describe('the seats of a product on one asset', () => {
  it.each<[what: string, counts: SeatCounts | undefined, bought: Bought]>([
    ['that never ends', count({ free: 1 }), {}],
    ['that ends within 30 days', count({ free: 1, endingSoon: 1 }), { products: [SOON] }],
    ['that ends later', count({ free: 1 }), { products: [LATER] }],
    ['that is over', count({ expired: 1 }), { products: [OVER] }],
    ['that is to come', count({ free: 1 }), { products: [TO_COME] }],
    ['whose asset ends earlier', count({ expired: 1 }), { products: [LATER], own: OVER }],
    ['that ends before its asset', count({ free: 1, endingSoon: 1 }), { products: [SOON], own: LATER }],
    ['whose asset starts later', count({ free: 1 }), { products: [SOON], own: { limitStartDate: inDays(1) } }],
    ['that it has three times', count({ free: 1, endingSoon: 1 }), { products: [SOON, OVER, SOON] }],
    ['that it also has without an end', count({ free: 1 }), { products: [SOON, {}] }],
    ['that is over and to come', count({ free: 1 }), { products: [OVER, TO_COME] }],
    ['that is assigned', count({ assigned: 1 }), { after: assign }],
    ['that is assigned and over', count({ assigned: 1, expired: 1 }), { products: [OVER], after: assign }],
    ['that is lent', count({ assigned: 1, lent: 1 }), { after: lend }],
    [
      'that is disabled',
      count({}),
      { after: async (asset) => dataOf(await center.api.ask('lockAssets', { body: ofAsset(asset) })) },
    ],
    [
      'that is frozen',
      count({}),
      {
        order: { licenseType: 'softkey' },
        after: async (asset) => dataOf(await center.api.ask('freezeAssets', { body: ofAsset(asset) })),
      },
    ],
    [
      'that is transferred to another customer',
      count({ free: 1 }),
      {
        after: async (asset) => {
          await assign(asset);
          const terms = { transferedAssetNum: true, products: [] };
          await center.api.carryOut(newBuy(await center.industryCustomer(), [asset.assetNum], {}, terms));
        },
      },
    ],
    [
      'whose asset is revoked',
      undefined,
      { after: ({ assetNum }) => center.api.carryOut(deleteAsset(center.customer, [assetNum])) },
    ],
    ['of a borrowed lock', undefined, { own: { borrowedUsbKey: true } }],
  ])('%s', async (_, counts, { products = [{}], own, order, after }) => {
    const productUri = randomUUID();
    const assetNum = newAssetNum();
    const element = { products: products.map((fields) => productToBuy({ productUri, ...fields })), ...own };
    await center.api.carryOut(newBuy(center.customer, [assetNum], order, element));
    const [assetId] = await idsOfNumbers(stack.db, [assetNum]);
    await after?.({ assetNum, assetId } as EnterpriseAsset);
    const found = (await readSeats()).products.find((each) => each.productUri === productUri);
    expect(found).toEqual(counts && { productUri, productName: 'Cost Estimator', ...counts });
  });
});

it('products, types and total count assets of the enterprise, each once, by the newest name', async () => {
  const before = (await readSeats()).total;
  const licenseType = 'identity_lan_usbkey';
  const two = [productToBuy({ productUri: 'a-uri', productName: 'Old' }), productToBuy({ productUri: 'b-uri' })];
  const [first, , revoked] = await center.buy(3, { licenseType }, { products: two, ...SOON });
  await center.buy(
    2,
    { licenseType },
    { products: [productToBuy({ productUri: 'a-uri', productName: 'New' })], ...OVER },
  );
  await elsewhere.buy(2, { licenseType }, { products: two });
  await assign(first!);
  await center.api.carryOut(
    deleteProduct(center.customer, [revoked!.assetNum], { productUri: 'b-uri' }, { licenseType }),
  );
  const { products, licenseTypes, total } = await readSeats();
  const ofA = { owned: 5, assigned: 1, lent: 0, free: 2, expired: 2, endingSoon: 3 };
  expect(products.filter(({ productUri }) => ['a-uri', 'b-uri'].includes(productUri))).toEqual([
    { productUri: 'a-uri', productName: 'New', ...ofA },
    { productUri: 'b-uri', productName: 'Cost Estimator', ...ofA, owned: 2, free: 1, expired: 0, endingSoon: 2 },
  ]);
  expect(products.map(({ productUri }) => productUri)).toEqual(products.map(({ productUri }) => productUri).toSorted());
  expect(licenseTypes.find((each) => each.licenseType === licenseType)).toEqual({ licenseType, ...ofA });
  for (const name of Object.keys(NONE) as (keyof SeatCounts)[]) expect(total[name]).toBe(before[name] + ofA[name]);
});
