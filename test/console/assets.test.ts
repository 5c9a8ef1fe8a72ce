import { randomUUID } from 'node:crypto';
import type { Customer } from '@lockstep/contract';
import type { ConsoleCall, ConsoleData } from '@lockstep/contract/console';
import { HIDDEN } from '@lockstep/contract/console';
import { describe, expect, it } from 'vitest';
import { dataOf } from '../harness/api.ts';
import { ConsoleClient } from '../harness/browser/console.ts';
import { openWithLoan } from '../harness/members/holdings.ts';
import {
  batchOf,
  deleteAsset,
  deleteProduct,
  feature,
  merchandise,
  newBuy,
  productToBuy,
} from '../harness/orders/orders.ts';
import { testStack } from '../harness/stack.ts';

/** Assets in the console, of all applications and channels. */

const { stack } = await testStack({ worker: false });
const [api, other] = [await stack.newApi(), await stack.newApi()];
const viewer = await ConsoleClient.logIn(stack, 'viewer');

/** A prefix that no other test's numbers have. */
const newPrefix = () => `N${randomUUID().slice(0, 8).toUpperCase()}`;
const list = (query: ConsoleCall<'listAssets'>['query']) => viewer.call('listAssets', { query });
const show = (assetNum: string) => viewer.call('getAsset', { params: { assetNum } });
const numsOf = ({ assets }: ConsoleData<'listAssets'>) => assets.map(({ assetNum }) => assetNum);
const found = async (query: ConsoleCall<'listAssets'>['query']) => numsOf(await list(query));

/** All pages of a list, one entry at a time. */
const walk = async (query: ConsoleCall<'listAssets'>['query']) =>
  (await viewer.pagesOf('listAssets', { query: { ...query, limit: '1' } })).flatMap(numsOf);

describe('the list of assets', () => {
  it('finds a number, and all with a prefix, in pages and in order', async () => {
    const prefix = newPrefix();
    const customer = await api.newCustomer();
    await api.carryOut(newBuy(customer, [`${prefix}-3`, `${prefix}-1`]));
    await other.carryOut(newBuy(await other.newCustomer(), [`${prefix}-2`, `${prefix.slice(0, -1)}`]));
    expect(await found({ assetNum: prefix })).toEqual([`${prefix}-1`, `${prefix}-2`, `${prefix}-3`]);
    expect(await found({ assetNum: `${prefix}-2` })).toEqual([`${prefix}-2`]);
    expect(await walk({ assetNum: prefix })).toEqual([`${prefix}-1`, `${prefix}-2`, `${prefix}-3`]);
    expect(await walk({ assetNum: prefix, customerId: customer.customerId })).toEqual([`${prefix}-1`, `${prefix}-3`]);
  });

  it('counts those that end in a period by enterprise, as it lists them', async () => {
    const end = Date.UTC(2050, 0, 1);
    const [one, two] = [await api.newCustomer(), await other.newCustomer()];
    const [a, b, c, d] = [1, 2, 3, 4].map((n) => newPrefix() + n) as [string, string, string, string];
    await api.carryOut(
      newBuy(one, [a], {}, { limitEndDate: end, products: [productToBuy({ limitEndDate: end - 1 })] }),
      newBuy(one, [b], {}, { products: [productToBuy({ limitEndDate: end })] }),
      newBuy(one, [c], {}, { limitEndDate: end - 2, products: [productToBuy({ limitEndDate: end })] }),
    );
    await other.carryOut(newBuy(two, [d], {}, { limitEndDate: end }));
    const query = { expiresFrom: String(end - 1), expiresTo: String(end) };
    const counted = ({ enterpriseGlobalId, enterpriseName }: Customer, assets: number) => ({
      enterpriseGlobalId,
      enterpriseName,
      assets,
    });
    expect(await viewer.call('getExpiring', { query })).toEqual({
      assets: (await walk(query)).length,
      enterpriseCount: 2,
      enterprises: [counted(one, 2), counted(two, 1)],
      firstEnds: null,
    });
  });

  it('takes wildcards literally', async () => {
    const prefix = newPrefix();
    await api.carryOut(newBuy(await api.newCustomer(), [`${prefix}%_1`, `${prefix}a`, `${prefix}\\`]));
    expect(await found({ assetNum: `${prefix}%` })).toEqual([`${prefix}%_1`]);
    expect(await found({ assetNum: `${prefix}\\` })).toEqual([`${prefix}\\`]);
  });

  it('shows those of a customer, and of all customers of an enterprise, the newest first', async () => {
    const [prefix, name] = [newPrefix(), `Enterprise ${randomUUID()}`];
    const [one, two] = [await api.newCustomer(name), await other.newCustomer(name)];
    await api.carryOut(newBuy(one, [`${prefix}1`]), newBuy(one, [`${prefix}2`]));
    await other.carryOut(newBuy(two, [`${prefix}3`]), newBuy(two, [`${prefix}4`]), deleteAsset(two, [`${prefix}4`]));
    expect(await walk({ customerId: one.customerId })).toEqual([`${prefix}2`, `${prefix}1`]);
    const ofEnterprise = { enterpriseGlobalId: one.enterpriseGlobalId };
    expect(await walk(ofEnterprise)).toEqual([`${prefix}3`, `${prefix}2`, `${prefix}1`]);
    expect((await list(ofEnterprise)).assets[0]!).toMatchObject({
      customerId: two.customerId,
      enterpriseGlobalId: one.enterpriseGlobalId,
      enterpriseName: name,
    });
    expect(await found({ customerId: two.customerId, enterpriseGlobalId: '1' })).toEqual([]);
  });

  it('begins with the newest, whichever process bought it', async () => {
    await stack.startWorker();
    const prefix = newPrefix();
    const customer = await api.newCustomer();
    await api.carryOut(newBuy(customer, [`${prefix}1`]));
    await api.process(batchOf(newBuy(customer, [`${prefix}2`])));
    await api.carryOut(newBuy(customer, [`${prefix}3`, `${prefix}4`]));
    const newestFirst = [`${prefix}4`, `${prefix}3`, `${prefix}2`, `${prefix}1`];
    expect((await walk({})).slice(0, 4)).toEqual(newestFirst);
    expect(await walk({ customerId: customer.customerId })).toEqual(newestFirst);
    expect(await walk({ enterpriseGlobalId: customer.enterpriseGlobalId })).toEqual(newestFirst);
  });

  it('shows revoked assets', async () => {
    const prefix = newPrefix();
    const customer = await api.newCustomer();
    await api.carryOut(newBuy(customer, [`${prefix}1`]), deleteAsset(customer, [`${prefix}1`]));
    await api.carryOut(newBuy(customer, [`${prefix}1`]), deleteAsset(customer, [`${prefix}1`]));
    expect(await walk({ state: 'revoked', assetNum: prefix })).toEqual([`${prefix}1`, `${prefix}1`]);
    expect(await found({ assetNum: prefix })).toEqual([]);
    const { assets } = await list({ state: 'revoked', assetNum: prefix });
    expect(assets.map(({ revokedByApplication }) => revokedByApplication)).toEqual(['Test', 'Test']);
    expect(await walk({ state: 'revoked', customerId: customer.customerId })).toEqual([`${prefix}1`, `${prefix}1`]);
  });

  it('refuses a cursor of another search', async () => {
    const prefix = newPrefix();
    await api.carryOut(newBuy(await api.newCustomer(), [`${prefix}1`, `${prefix}2`]));
    const { nextCursor } = await list({ assetNum: prefix, limit: '1' });
    const answer = await viewer.send('listAssets', { query: { assetNum: `${prefix}1`, cursor: nextCursor! } });
    expect(answer).toMatchObject({ status: 400, body: { cause: 'field_invalid' } });
  });
});

describe('an asset', () => {
  it('shows its customer, its employee, and where it is lent', async () => {
    const { center, asset, lock, kim } = await openWithLoan(stack);
    const holder = { memberGlobalId: kim.globalId, account: kim.userName, name: kim.name };
    const { active } = await show(asset.assetNum);
    expect(active).toMatchObject({
      assetId: asset.assetId,
      owner: { customerId: center.customer.customerId, enterpriseGlobalId: center.enterpriseId },
      assigned: true,
      lent: true,
      holder,
      lentInto: { assetNum: lock.assetNum },
      lentHere: [],
    });
    expect((await show(lock.assetNum)).active).toMatchObject({
      borrowedUsbKey: true,
      holder: null,
      lentInto: null,
      lentHere: [{ assetNum: asset.assetNum, holder }],
    });
  });

  it('names the orders with active grants, and the previous assets of its number', async () => {
    const assetNum = newPrefix();
    const [one, two] = [await api.newCustomer(), await other.newCustomer()];
    const [bought, revoked] = await api.carryOut(newBuy(one, [assetNum]), deleteAsset(one, [assetNum]));
    const [again, extended] = await other.carryOut(newBuy(two, [assetNum]), newBuy(two, [assetNum]));
    const { active, earlier, hasMoreEarlier } = await show(assetNum);
    expect(active).toMatchObject({
      owner: { customerId: two.customerId },
      createdByOrderId: again!.licenseOrderId,
      licenseOrderIds: [extended!.licenseOrderId, again!.licenseOrderId],
    });
    expect(earlier).toMatchObject([
      {
        owner: { customerId: one.customerId },
        createdByOrderId: bought!.licenseOrderId,
        revokedByOrderId: revoked!.licenseOrderId,
      },
    ]);
    expect(hasMoreEarlier).toBe(false);
    await other.carryOut(deleteAsset(two, [assetNum]));
    expect(await show(assetNum)).toMatchObject({ active: null, earlier: [{}, {}] });
  });

  it('can have a number with any characters', async () => {
    const assetNum = `${newPrefix()}/<b onclick="alert(1)">&%?#`;
    await api.carryOut(newBuy(await api.newCustomer(), [assetNum]));
    const answer = await viewer.send('getAsset', { params: { assetNum } });
    expect(answer.body.data.active.assetNum).toBe(assetNum);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  });
});

describe('the contents of an asset', () => {
  it('list each item after its parent, with limits and orders, and without passwords', async () => {
    const assetNum = newPrefix();
    const customer = await api.newCustomer();
    const product = productToBuy({
      productUri: 'gms-200',
      limitStartDate: 1_700_000_000_000,
      limitEndDate: 1_800_000_000_000,
      passwords: ['do not tell'],
      productFeatures: Array.from({ length: 25 }, (_, n) => feature({ featureCode: `f${n}` })),
    });
    const inner = merchandise({ merchandiseNum: 'M-2', licenseOrderProductList: [product] });
    const outer = merchandise({ licenseOrderProductList: [], children: [inner] });
    const [source] = await api.carryOut(newBuy(customer, [newPrefix()]));
    const [bought] = await api.carryOut(
      newBuy(customer, [assetNum], { srcLicenseOrderId: source!.licenseOrderId }, { merchandises: [outer] }),
    );
    const answer = await viewer.send('getAssetContents', { params: { assetNum }, query: {} });
    expect(JSON.stringify(answer.body)).not.toContain('do not tell');
    const { instances, nextCursor } = await viewer.call('getAssetContents', { params: { assetNum } });
    const [first, second, ...products] = instances;
    expect([first, second]).toMatchObject([
      { kind: 'merchandise', merchandiseNum: 'M-1', parentId: null },
      { kind: 'merchandise', merchandiseNum: 'M-2', parentId: first!.id },
    ]);
    expect(products).toMatchObject([
      { kind: 'product', productUri: 'gms-100', parentId: null },
      {
        kind: 'product',
        productUri: 'gms-200',
        parentId: second!.id,
        limitStartDate: 1_700_000_000_000,
        limitEndDate: 1_800_000_000_000,
        featureCount: 25,
        boughtByOrderId: bought!.licenseOrderId,
        heldByOrderId: bought!.licenseOrderId,
        srcLicenseOrderId: source!.licenseOrderId,
      },
    ]);
    expect(nextCursor).toBeNull();
  });

  it('come in pages, without revoked items', async () => {
    const assetNum = newPrefix();
    const customer = await api.newCustomer();
    const products = ['a', 'b', 'c', 'd'].map((productUri) => productToBuy({ productUri }));
    await api.carryOut(newBuy(customer, [assetNum], {}, { products, merchandises: [merchandise()] }));
    await api.carryOut(deleteProduct(customer, [assetNum], { productUri: 'b' }));
    const pages = await viewer.pagesOf('getAssetContents', { params: { assetNum }, query: { limit: '2' } });
    const seen = pages.flatMap(({ instances }) =>
      instances.map((each) => (each.kind === 'product' ? each.productUri : each.merchandiseNum)),
    );
    expect(seen[0]).toBe('M-1');
    expect(seen.slice(1).sort()).toEqual(['a', 'c', 'd', 'gms-100']);
  });
});

describe('the history of a number', () => {
  it('names who had it and who lent it, even after they were deleted', async () => {
    const { center, asset, lock, kim } = await openWithLoan(stack);
    dataOf(await center.delete(kim.globalId));
    const { entries } = await viewer.call('getAssetHistory', { params: { assetNum: asset.assetNum }, query: {} });
    const member = { memberGlobalId: kim.globalId, account: kim.userName, name: kim.name };
    const administrator = expect.objectContaining({ account: center.account });
    const lockAssetNum = lock.assetNum;
    expect(entries.slice(0, 4)).toMatchObject([
      { action: 'unassigned', member, administrator },
      { action: 'returned', member, administrator, lockAssetNum },
      { action: 'lent', member, administrator, lockAssetNum },
      { action: 'assigned', member, administrator },
    ]);
  });

  it('goes from purchase over transfer to revocation, with the orders of every application', async () => {
    const assetNum = newPrefix();
    const [seller, buyer]: Customer[] = [await api.newCustomer(), await other.newCustomer()];
    const limitEndDate = Date.UTC(2030, 0, 1);
    const bought = newBuy(seller!, [assetNum], {}, { products: [productToBuy({ limitConcurrent: 5, limitEndDate })] });
    await api.accept({ ...batchOf(bought), channelOrderId: `${assetNum}-1`, syncMode: 'sync' });
    const transfer = newBuy(buyer!, [assetNum], {}, { products: [], transferedAssetNum: true });
    const revocation = deleteAsset(buyer!, [assetNum]);
    await other.accept({ ...batchOf(transfer, revocation), channelOrderId: `${assetNum}-2`, syncMode: 'sync' });
    const { entries } = await viewer.call('getAssetHistory', { params: { assetNum } });
    const [first, second] = [`${assetNum}-1`, `${assetNum}-2`];
    expect(entries).toMatchObject([
      { action: 'revoked', channelOrderId: second, appKey: other.credentials.appKey, applicationName: 'Test' },
      { action: 'product_revoked', channelOrderId: second, instanceName: 'Cost Estimator' },
      {
        action: 'transferred',
        channelOrderId: second,
        customer: { customerId: buyer!.customerId },
        fromCustomer: { customerId: seller!.customerId, enterpriseName: seller!.enterpriseName },
      },
      {
        action: 'product_bought',
        channelOrderId: first,
        instanceName: 'Cost Estimator',
        productUri: 'gms-100',
        limitConcurrent: 5,
        limitEndDate,
      },
      { action: 'created', channelOrderId: first, appKey: api.credentials.appKey, fromCustomer: null },
    ]);
    const pages = await viewer.pagesOf('getAssetHistory', { params: { assetNum }, query: { limit: '2' } });
    expect(pages.flatMap((page) => page.entries.map(({ action }) => action))).toEqual(
      entries.map(({ action }) => action),
    );
  });

  it('says who requested to disable a lock, through which application', async () => {
    const assetNum = newPrefix();
    await api.carryOut(newBuy(await api.newCustomer(), [assetNum], { licenseType: 'normal_recover_usbkey' }));
    dataOf(await other.ask('lockAssets', { body: { assetNums: [assetNum], operatorIdentity: 'Li Wei' } }));
    const support = await ConsoleClient.logIn(stack, 'support');
    const { entries } = await support.call('getAssetHistory', { params: { assetNum }, query: { limit: '1' } });
    expect(entries).toMatchObject([
      { action: 'locked', operatorIdentity: 'Li Wei', appKey: other.credentials.appKey, licenseOrderId: null },
    ]);
    const identityFor = async (by: ConsoleClient) => {
      const { active } = await by.call('getAsset', { params: { assetNum } });
      const { assets } = await by.call('listAssets', { query: { assetNum } });
      return [active!, ...assets].map(({ verdict }) => verdict.reasons[0]!.operatorIdentity);
    };
    expect(await identityFor(support)).toEqual(['Li Wei', 'Li Wei']);
    expect(await identityFor(viewer)).toEqual([HIDDEN, HIDDEN]);
  });
});
