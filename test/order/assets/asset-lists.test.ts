import { randomUUID } from 'node:crypto';
import { AssetPage, buildMessage, type Customer, CustomerPage } from '@lockstep/contract';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { type Api, dataOf, readPages, refusalOf } from '../../harness/api.ts';
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
import { testStack } from '../../harness/stack.ts';

/** The lists of assets and customers (rules 6.7). */

const { stack, api } = await testStack({ worker: false });
type Query = Record<string, string>;

/** Reads all pages of a list of assets. */
async function listAssets(query: Query, by: Api = api) {
  const pages = await readPages(async (cursor) =>
    AssetPage.parse(dataOf(await by.ask('listAssets', { query: { ...query, cursor } }))),
  );
  return pages.flatMap(({ assets }) => assets);
}
const found = async (query: Query, by: Api = api) => (await listAssets(query, by)).map(({ assetNum }) => assetNum);
const refused = async (query: Query, by: Api = api) => refusalOf(await by.ask('listAssets', { query }));

const DAY_MS = 86_400_000;
/** The first millisecond of a day far ahead, and of one before. */
const NIGHT = Date.UTC(2091, 4, 31);
const EARLIER = Date.UTC(2091, 0, 1);
const product = (changes: Sent = {}) => ({ products: [productToBuy(changes)] });
const nums = (count: number) => Array.from({ length: count }, newAssetNum);

describe('assets of a customer', () => {
  it('are shown newest first with their owner, dates, and on request what is on them', async () => {
    const customer = await api.newCustomer();
    const [assetNum, other] = [newAssetNum(), newAssetNum()];
    const items = {
      limitEndDate: EARLIER,
      products: [productToBuy({ productUri: 'gms-1', limitEndDate: EARLIER - 1, limitConcurrent: 3 })],
      merchandises: [merchandise()],
    };
    const [bought] = await api.carryOut(newBuy(customer, [assetNum], {}, items));
    await api.carryOut(newBuy(customer, [other]));
    const query = { customerId: customer.customerId };
    expect(await found({ ...query, limit: '1' })).toEqual([other, assetNum]);
    const [, plain] = await listAssets(query);
    expect(plain).toMatchObject({
      assetNum,
      customerName: 'Customer',
      channelCustomerId: customer.channelCustomerId,
      enterpriseName: customer.enterpriseName,
      limitEndDate: EARLIER,
      nextEndDate: EARLIER - 1,
      validity: 'active',
      memberGlobalId: null,
      revokedTime: null,
    });
    expect(plain).not.toHaveProperty('productCount');
    const [, counted] = await listAssets({ ...query, include: 'counts' });
    const products = (dataOf(await api.call('GET', `/asset/${assetNum}`)) as { merchandises: Sent[] }).merchandises;
    expect(products).toHaveLength(1);
    expect(counted).toMatchObject({ merchandiseCount: 1 });
    const [, whole] = await listAssets({ ...query, include: 'products', limit: '1' });
    expect(whole!.products).toHaveLength(counted!.productCount!);
    expect(whole!.products![0]).toMatchObject({
      productUri: 'gms-1',
      limitConcurrent: 3,
      limitEndDate: EARLIER - 1,
      validity: 'active',
      licenseOrderId: bought!.licenseOrderId,
    });
  });

  it('with products are fewer on a page, but at least one', async () => {
    const customer = await api.newCustomer();
    const products = Array.from({ length: 1_500 }, (_, index) => productToBuy({ productUri: `gms-${index}` }));
    await api.carryOut(newBuy(customer, nums(3), {}, { products }));
    const query = { customerId: customer.customerId, include: 'products' };
    const { assets } = AssetPage.parse(dataOf(await api.ask('listAssets', { query })));
    expect(assets.map((asset) => asset.products!.length)).toEqual([1_500, 1_500]);
    expect(await found(query)).toHaveLength(3);
  });

  it('are those of all customers of an enterprise, and revoked ones on request', async () => {
    const name = `Enterprise ${randomUUID()}`;
    const [one, two] = [await api.newCustomer(name), await api.newCustomer(name)];
    const [a, b, c] = nums(3) as [string, string, string];
    await api.carryOut(newBuy(one, [a, b]), newBuy(two, [c]));
    const [revocation] = await api.carryOut(deleteAsset(one, [a]));
    const { enterpriseGlobalId } = one;
    expect(await found({ enterpriseGlobalId, limit: '1' })).toEqual([c, b]);
    expect(await found({ enterpriseGlobalId, customerId: one.customerId })).toEqual([b]);
    const revoked = await listAssets({ enterpriseGlobalId, state: 'revoked' });
    expect(revoked).toMatchObject([{ assetNum: a, revokedByOrderId: revocation!.licenseOrderId }]);
    const all = { enterpriseGlobalId, state: 'all' };
    expect(await found({ ...all, limit: '1' })).toEqual([b, c, a]);
    expect(await found({ ...all, reason: 'revoked' })).toEqual([a]);
    expect(await found({ state: 'all', assetNum: a })).toEqual([a]);
    expect(await found({ ...all, reason: 'unassigned' })).toEqual([b, c]);
    expect(await found({ enterpriseGlobalId: '1', customerId: one.customerId })).toEqual([]);
  });
});

describe('filters', () => {
  it('find what ends in a period, each asset once, at its first end', async () => {
    const customer = await api.newCustomer();
    const [asset, ofProduct, bounded, endless, both] = nums(5) as [string, string, string, string, string];
    const bothProducts = [{}, { productUri: 'ends' }].map((each) => productToBuy({ ...each, limitEndDate: NIGHT }));
    await api.carryOut(
      newBuy(customer, [asset], {}, { limitEndDate: NIGHT }),
      newBuy(customer, [ofProduct], {}, product({ productUri: 'ends', limitEndDate: NIGHT + DAY_MS })),
      newBuy(customer, [bounded], {}, { limitEndDate: NIGHT - 1, ...product({ limitEndDate: NIGHT }) }),
      newBuy(customer, [endless]),
      newBuy(customer, [both], {}, { limitEndDate: NIGHT + DAY_MS, products: bothProducts }),
    );
    const period = (from: number, to: number) => ({ expiresFrom: String(from), expiresTo: String(to) });
    const inAny = async (query: Query) => (await found({ ...query, limit: '1' })).sort();
    for (const of of [{}, { customerId: customer.customerId }]) {
      expect(await inAny({ ...period(NIGHT, NIGHT), ...of })).toEqual([asset, both].sort());
      expect(await inAny({ ...period(NIGHT - 1, NIGHT + DAY_MS), ...of })).toEqual(
        [asset, ofProduct, bounded, both].sort(),
      );
      expect(await inAny({ ...period(NIGHT + 1, NIGHT + DAY_MS), ...of })).toEqual([ofProduct, both].sort());
      expect(await inAny({ ...period(NIGHT, NIGHT + DAY_MS), productUri: 'ends', ...of })).toEqual(
        [ofProduct, both].sort(),
      );
      expect(await inAny({ expiresFrom: String(NIGHT + DAY_MS + 1), ...of })).toEqual([]);
    }
    expect(await found({ ...period(NIGHT - 1, NIGHT + DAY_MS) })).toHaveLength(4);
  });

  it('find what changed since a time, oldest first, whatever an order did to it', async () => {
    const customer = await api.newCustomer();
    const [bought, extended, reduced, revoked, locked] = nums(5) as [string, string, string, string, string];
    await api.carryOut(newBuy(customer, [extended, reduced, revoked, locked]));
    const { rows } = await sql<{ now: number }>`
      select extract(epoch from clock_timestamp()) * 1000 + 1 as now`.execute(stack.db);
    const updatedFrom = String(Math.ceil(rows[0]!.now));
    await expect.poll(async () => Date.now() > Number(updatedFrom)).toBe(true);
    await api.carryOut(newBuy(customer, [bought]));
    await api.carryOut(newBuy(customer, [extended]));
    await api.carryOut(deleteProduct(customer, [reduced]));
    await api.carryOut(deleteAsset(customer, [revoked]));
    dataOf(await api.ask('lockAssets', { body: { assetNums: [locked], operatorIdentity: 'Kim' } }));
    expect(await found({ updatedFrom, limit: '1' })).toEqual([bought, extended, reduced, locked]);
    expect(await found({ updatedFrom, state: 'revoked' })).toEqual([revoked]);
    expect(await found({ updatedFrom, customerId: customer.customerId, locked: 'true' })).toEqual([locked]);
  });

  it.each<[what: string, element: Sent, changes: Sent, query: Query]>([
    ['a license type', {}, { licenseType: 'softkey' }, { licenseType: 'softkey' }],
    ['a product', product({ productUri: 'rare' }), {}, { productUri: 'rare' }],
    ['expired ones', { limitEndDate: Date.UTC(2020, 0, 1) }, {}, { validity: 'expired' }],
    ['future ones', { limitStartDate: NIGHT }, {}, { validity: 'future' }],
  ])('find %s', async (_, element, changes, query) => {
    const customer = await api.newCustomer();
    const [wanted, other] = nums(2) as [string, string];
    await api.carryOut(newBuy(customer, [wanted], changes, element), newBuy(customer, [other]));
    expect(await found({ ...query, customerId: customer.customerId })).toEqual([wanted]);
    expect(await found(query)).toContain(wanted);
    expect(await found(query)).not.toContain(other);
  });

  it('find assigned ones', async () => {
    const center = await MemberCenter.open(stack, api);
    const [held, free] = await center.buy(2);
    const [kim] = await center.add();
    await center.assign(kim!.globalId, held!.assetNum);
    const { enterpriseId: enterpriseGlobalId } = center;
    expect(await listAssets({ enterpriseGlobalId, assigned: 'true' })).toMatchObject([
      { assetNum: held!.assetNum, memberGlobalId: kim!.globalId },
    ]);
    expect(await found({ enterpriseGlobalId, assigned: 'false' })).toEqual([free!.assetNum]);
  });

  it.each<[query: Query, cause: string, message: string]>([
    [{ serialNumber: '1' }, 'filter_unknown', 'serialNumber'],
    [{ expires: '1' }, 'filter_unknown', 'expiresFrom'],
    [{ expireFrom: '1' }, 'field_misspelled', 'expiresFrom'],
    [{ expiresFrom: '2000000000001', expiresTo: '2000000000000' }, 'dates_reversed', 'expiresFrom'],
    [{ expiresFrom: '2000000000' }, 'date_not_milliseconds', 'expiresFrom'],
    [{ expiresTo: '253402300800000' }, 'date_not_milliseconds', 'expiresTo'],
    [{ assigned: 'yes' }, 'field_invalid', 'assigned'],
    [{ customerId: 'C-1' }, 'field_invalid', 'customerId'],
  ])('refuse %j with %s', async (query, cause, message) => {
    expect(await refused(query)).toMatchObject({ code: '13004', cause, message: expect.stringContaining(message) });
  });
});

it('cursors belong to their filters and application', async () => {
  const customer = await api.newCustomer();
  await api.carryOut(newBuy(customer, nums(2)));
  const { customerId } = customer;
  const { nextCursor } = dataOf(await api.ask('listAssets', { query: { customerId, limit: '1' } }));
  const cause = 'field_invalid';
  expect(await refused({ customerId, cursor: nextCursor, locked: 'false' })).toMatchObject({ cause });
  expect(await refused({ customerId, cursor: nextCursor }, await stack.newApi())).toMatchObject({ cause });
  const { nextCursor: ofCustomers } = dataOf(await api.ask('listCustomers', { query: { limit: '1' } }));
  const other = await api.ask('listCustomers', { query: { name: 'custom', cursor: ofCustomers } });
  expect(refusalOf(other)).toMatchObject({ cause });
});

it('an application that is bound to channels lists only assets of its channels, in every order', async () => {
  const channel = `c-${randomUUID()}`;
  const bound = await stack.newApi(['auth_order'], [channel]);
  const [ours, theirs] = [await api.newCustomer(undefined, channel), await api.newCustomer()];
  await api.newCustomer(undefined, channel);
  const prefix = `Z${randomUUID().slice(0, 8)}`;
  const element = { limitEndDate: NIGHT + 9 * DAY_MS };
  await api.carryOut(newBuy(ours, [`${prefix}1`], {}, element), newBuy(theirs, [`${prefix}2`], {}, element));
  const queries: Query[] = [
    {},
    { assetNum: prefix },
    { expiresFrom: String(NIGHT + 9 * DAY_MS) },
    { updatedFrom: '1500000000000' },
    { channelCode: channel },
  ];
  for (const query of queries) expect(await found({ ...query, limit: '1' }, bound)).toEqual([`${prefix}1`]);
  for (const query of [{ customerId: theirs.customerId }, { state: 'revoked' }]) {
    expect(await found(query, bound)).toEqual([]);
  }
  await api.carryOut(deleteAsset(ours, [`${prefix}1`]), deleteAsset(theirs, [`${prefix}2`]));
  expect(await found({ state: 'revoked' }, bound)).toEqual([`${prefix}1`]);
  expect(await found({ state: 'revoked', updatedFrom: '1500000000000' }, bound)).toEqual([`${prefix}1`]);
  expect(await found({ state: 'revoked' })).toEqual(expect.arrayContaining([`${prefix}1`, `${prefix}2`]));
});

describe('customers', () => {
  const listed = async (query: Query, by: Api = api) =>
    CustomerPage.parse(dataOf(await by.ask('listCustomers', { query }))).customers;
  const ids = (customers: Pick<Customer, 'customerId'>[]) => customers.map(({ customerId }) => customerId);

  it('are found by name, number or enterprise, newest first, within the channels', async () => {
    const [channel, name] = [`c-${randomUUID()}`, `Enterprise ${randomUUID()}`];
    const one = await api.newCustomer(name, channel);
    const two = await api.newCustomer(name);
    const bound = await stack.newApi(['auth_order'], [channel]);
    const { enterpriseGlobalId } = one;
    expect(ids(await listed({ enterpriseGlobalId }))).toEqual([two.customerId, one.customerId]);
    expect(ids(await listed({}))).toEqual(expect.arrayContaining([one.customerId, two.customerId]));
    expect(ids(await listed({ channelCustomerId: two.channelCustomerId }))).toEqual([two.customerId]);
    expect(ids(await listed({ channelCustomerId: two.channelCustomerId, channelCode: channel }))).toEqual([]);
    expect(ids(await listed({ name: 'TOM', enterpriseGlobalId }))).toEqual([two.customerId, one.customerId]);
    expect(await listed({ name: two.channelCustomerId })).toEqual([]);
    for (const query of [{}, { name: 'CUSTOM' }, { channelCode: channel }, { enterpriseGlobalId }]) {
      expect(await listed({ ...query, limit: '1' }, bound)).toMatchObject([{ ...one, customerName: 'Customer' }]);
    }
    const other = await bound.ask('listCustomers', { query: { channelCode: 'test' } });
    expect(refusalOf(other)).toMatchObject({ cause: 'channel_not_allowed' });
  });

  it('refuse an unknown filter with what it may mean', async () => {
    const { message, cause } = refusalOf(await api.ask('listCustomers', { query: { customerName: 'x' } }));
    const filters = 'name, channelCode, channelCustomerId, enterpriseGlobalId, limit, cursor, g_nonce';
    expect({ message, cause }).toEqual({
      cause: 'filter_unknown',
      message: buildMessage('filter_unknown', 'customerName', 'name', filters),
    });
  });
});
