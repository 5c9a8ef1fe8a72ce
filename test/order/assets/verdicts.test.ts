import { type AssetDetail, type EnterpriseAsset, Reason, type VerdictReason } from '@lockstep/contract';
import { describe, expect, it } from 'vitest';
import { type Api, dataOf } from '../../harness/api.ts';
import { MemberCenter } from '../../harness/members/member-center.ts';
import {
  deleteAsset,
  deleteProduct,
  merchandise,
  newAssetNum,
  newBuy,
  productToBuy,
  type Sent,
} from '../../harness/orders/orders.ts';
import { openAs } from '../../harness/orders/two-channels.ts';
import { testStack } from '../../harness/stack.ts';

/** Whether assets and products are in force, and why an asset can't be used (rules 6.7), as each operation shows it. */

const { stack } = await testStack({ worker: false });
const center = await MemberCenter.open(stack);
const { api } = center;
/** Another application, and one that is bound to the channel of the enterprise's first customer. */
const other = await stack.newApi();
const bound = await openAs(center, await stack.newApi(['auth_order', 'auth_me'], ['crm']));
const [kim] = (await center.add()).map(({ globalId }) => globalId);

const MINUTE_MS = 60_000;
const [PAST, SOON] = [Date.now() - MINUTE_MS, Date.now() + 10 * MINUTE_MS];

const show = async (assetNum: string, by: Api = api): Promise<AssetDetail> =>
  dataOf(await by.call('GET', `/asset/${assetNum}`));
const idOf = async (assetNum: string) => (await show(assetNum)).assetId;
const entryOf = async (assetNum: string, by = center) =>
  (await by.assets()).find((asset) => asset.assetNum === assetNum) as EnterpriseAsset;

/** Buys an asset of the enterprise, and assigns it. */
async function buyAssigned(element: Sent = {}, order: Sent = {}): Promise<string> {
  const assetNum = newAssetNum();
  await api.carryOut(newBuy(center.customer, [assetNum], order, element));
  if (!element.borrowedUsbKey) await center.assign(kim!, assetNum);
  return assetNum;
}

const isListed = async (assetNum: string, reason: string) =>
  dataOf(await api.ask('listAssets', { query: { assetNum, reason } })).assets.length === 1;
/** Returns the verdict with the parts of the reasons that are not null. */
const partsOf = ({ verdict }: { verdict: AssetDetail['verdict'] }) => {
  expect(verdict.usable).toBe(verdict.reasons.length === 0);
  return verdict.reasons.map((reason) =>
    Object.fromEntries(Object.entries(reason).filter(([, part]) => part !== null)),
  );
};

/** Revokes what `buyAssigned` bought by default. */
const empty = (assetNum: string) => api.carryOut(deleteProduct(center.customer, [assetNum]));

const products = (...dates: Sent[]) => ({ products: dates.map((each) => productToBuy(each)) });

describe('dates', () => {
  type Case = [of: string, element: Sent, validity: string, ofProducts: string[], reasons: Partial<VerdictReason>[]];
  it.each<Case>([
    [
      'a start to come',
      { ...products({}), limitStartDate: SOON },
      'future',
      ['future'],
      [{ reason: 'not_yet', until: SOON }],
    ],
    [
      'products that have all ended',
      products({ limitEndDate: PAST - 1 }, { limitEndDate: PAST }),
      'active',
      ['expired', 'expired'],
      [{ reason: 'expired', since: PAST }],
    ],
    [
      'products that have ended, or start later',
      products({ limitEndDate: PAST }, { limitStartDate: SOON + 1 }, { limitStartDate: SOON }),
      'active',
      ['expired', 'future', 'future'],
      [{ reason: 'not_yet', until: SOON }],
    ],
    [
      'one product in force',
      products({ limitEndDate: PAST }, { limitEndDate: SOON }),
      'active',
      ['expired', 'active'],
      [],
    ],
    [
      'a product that ends after its asset',
      { ...products({ limitEndDate: SOON }), limitEndDate: PAST },
      'expired',
      ['expired'],
      [{ reason: 'expired', since: PAST }],
    ],
  ])('an asset with %s', async (_, element, validity, ofProducts, reasons) => {
    const assetNum = await buyAssigned(element);
    const asset = await show(assetNum);
    const contents = await center.contents(asset.assetId);
    expect(asset.products.map((product) => product.validity)).toEqual(ofProducts);
    expect(contents.productInstanceList).toEqual(asset.products);
    for (const shown of [asset, contents, await entryOf(assetNum)]) {
      expect(shown.validity).toBe(validity);
      expect(partsOf(shown)).toEqual(reasons);
    }
    for (const reason of ['expired', 'not_yet']) {
      expect(await isListed(assetNum, reason)).toBe(reasons.some((each) => each.reason === reason));
    }
  });

  it('bound the products in merchandise, and those on the lock that the asset is lent into', async () => {
    const assetNum = await buyAssigned({ ...products({}), merchandises: [merchandise()], limitEndDate: PAST });
    const lockNum = await buyAssigned({ borrowedUsbKey: true });
    await empty(lockNum);
    expect(partsOf(await show(lockNum))).toEqual([{ reason: 'empty' }]);
    dataOf(await center.lend(kim!, lockNum, [await idOf(assetNum)]));
    const contents = await center.contents(await idOf(lockNum));
    const [inside] = contents.children[0]!.productInstanceList!;
    expect([...contents.productInstanceList, inside].map((product) => product!.validity)).toEqual([
      'expired',
      'expired',
    ]);
    expect(partsOf(contents)).toEqual([{ reason: 'expired', since: PAST }]);
    const inForce = await buyAssigned();
    dataOf(await center.lend(kim!, lockNum, [await idOf(inForce)]));
    expect(partsOf(await show(lockNum))).toEqual([]);
  });
});

describe('who stopped an asset', () => {
  it.each([
    ['lockAssets', 'locked', 'normal_recover_usbkey'],
    ['freezeAssets', 'frozen', 'softkey'],
  ] as const)(
    'by %s is named to the application that asked, and to no one in the member center',
    async (id, reason, licenseType) => {
      const assetNum = await buyAssigned({}, { licenseType });
      dataOf(await api.ask(id, { body: { assetNums: [assetNum], operatorIdentity: 'Li Wei' } }));
      const since = expect.any(Number);
      expect(partsOf(await show(assetNum))).toEqual([{ reason, since, operatorIdentity: 'Li Wei' }]);
      expect(await isListed(assetNum, reason)).toBe(true);
      expect(partsOf(await show(assetNum, other))).toEqual([{ reason, since }]);
      expect(partsOf(await entryOf(assetNum))).toEqual([{ reason, since }]);
      expect(partsOf(await center.contents(await idOf(assetNum)))).toEqual([{ reason, since }]);
    },
  );
});

it('a lock is named to those who see its channel', async () => {
  const assetNum = await buyAssigned();
  const lockNum = newAssetNum();
  await api.carryOut(newBuy(await center.industryCustomer(), [lockNum], {}, { borrowedUsbKey: true }));
  dataOf(await center.lend(kim!, lockNum, [await idOf(assetNum)]));
  const lent = { reason: 'lent', since: expect.any(Number), memberGlobalId: kim };
  expect(partsOf(await show(assetNum))).toEqual([{ ...lent, lockAssetNum: lockNum }]);
  expect(await isListed(assetNum, 'lent')).toBe(true);
  expect(partsOf(await entryOf(assetNum))).toEqual([{ ...lent, lockAssetNum: lockNum }]);
  expect(partsOf(await show(assetNum, bound.api))).toEqual([lent]);
  expect(partsOf(await entryOf(assetNum, bound))).toEqual([lent]);
});

it('all reasons are given, most important first, and only the revocation of a revoked asset', async () => {
  const assetNum = newAssetNum();
  await api.carryOut(newBuy(center.customer, [assetNum], {}, { limitStartDate: SOON }));
  await empty(assetNum);
  dataOf(await api.ask('lockAssets', { body: { assetNums: [assetNum], operatorIdentity: 'Li Wei' } }));
  const { verdict } = await show(assetNum);
  const reasons = verdict.reasons.map(({ reason }) => reason);
  expect(reasons).toEqual(['locked', 'not_yet', 'unassigned', 'empty']);
  for (const reason of Reason.options) expect(await isListed(assetNum, reason)).toBe(reasons.includes(reason));
  const [revocation] = await api.carryOut(deleteAsset(center.customer, [assetNum]));
  const { assets } = dataOf(await api.ask('listAssets', { query: { assetNum, state: 'revoked', reason: 'revoked' } }));
  expect(assets.map(partsOf)).toEqual([
    [{ reason: 'revoked', since: assets[0].revokedTime, licenseOrderId: revocation!.licenseOrderId }],
  ]);
});
