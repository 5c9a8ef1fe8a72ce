import { randomUUID } from 'node:crypto';
import { buildMessage, type Customer, type OrderResult } from '@lockstep/contract';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Api, refusalOf } from '../harness/api.ts';
import { checkNumbers } from '../harness/databases/numbers.ts';
import { contentOfTables } from '../harness/databases/tables.ts';
import { MemberCenter } from '../harness/members/member-center.ts';
import {
  batchOf,
  deleteAsset,
  deleteProduct,
  merchandise,
  newAssetNum,
  newBuy,
  productToBuy,
  productToRevoke,
  type Sent,
} from '../harness/orders/orders.ts';
import { testStack } from '../harness/stack.ts';

/**
 * Transfers, shared numbers, source orders, matching and dates (rules 6.1, 6.5, 7 and 2), by HTTP answers and database
 * rows.
 */

const { stack, api } = await testStack();
const [alice, bob] = await Promise.all([api.newCustomer(), api.newCustomer()]);
afterEach(async () => expect(await checkNumbers(stack.db)).toEqual([]));

const CLOUD = { licenseType: 'cloud_account' };
const TRANSFER = { transferedAssetNum: true, products: undefined };
const uri = (productUri: string) => productToBuy({ productUri });

/** Sends one order as an async batch. Returns its result. */
async function become(order: Sent, by = api): Promise<OrderResult> {
  const [result] = await by.process(batchOf(order));
  return result!;
}

/** Sends an order that must succeed. Returns its ID. */
async function sendForId(order: Sent): Promise<string> {
  const result = await become(order);
  expect(result.cause).toBeNull();
  return result.licenseOrderId;
}

const sendForCause = async (order: Sent, by = api) => (await become(order, by)).cause;

/** Returns the assets of a number with their transfers, oldest first. */
async function readRecord(assetNum: string) {
  const { db } = stack;
  const assets = await db.selectFrom('asset').selectAll().where('asset_num', '=', assetNum).orderBy('id').execute();
  const ids = assets.map(({ id }) => id);
  const transfers = await db.selectFrom('asset_transfer').selectAll().where('asset_id', 'in', ids).execute();
  const products = await db.selectFrom('product_instance').selectAll().where('asset_id', 'in', ids).execute();
  const merchandises = await db.selectFrom('merchandise_instance').selectAll().where('asset_id', 'in', ids).execute();
  return {
    assets,
    transfers,
    /** The orders that revoked the contents; null for active contents. */
    revokers: [...products, ...merchandises].map(({ revoked_by_order_id }) => revoked_by_order_id),
  };
}

describe('an async batch that names one asset number for two customers', () => {
  const shared = (assetNum: string) => [
    newBuy(alice, [newAssetNum(), assetNum]),
    newBuy(alice, [newAssetNum()]),
    newBuy(bob, [` ${assetNum} `], {}, TRANSFER),
  ];

  it('is refused with both paths, by the preview too, and nothing is stored', async () => {
    const assetNum = newAssetNum();
    const before = await contentOfTables(stack.db);
    const batch = batchOf(...shared(assetNum));
    for (const answer of [await api.submit(batch), await api.submitPreview(batch)]) {
      const { code, cause, message } = refusalOf(answer);
      expect({ code, cause }).toEqual({ code: '13004', cause: 'asset_number_shared' });
      const [first, second] = ['orderList[0].assets[0].assetNos[1]', 'orderList[2].assets[0].assetNos[0]'];
      expect(message).toBe(buildMessage('asset_number_shared', second, first, assetNum));
    }
    expect(await contentOfTables(stack.db)).toEqual(before);
  });

  it('is applied in order if it is sync', async () => {
    const assetNum = newAssetNum();
    await api.carryOut(...shared(assetNum));
    expect((await readRecord(assetNum)).assets).toMatchObject([{ customer_id: bob.customerId, revoked_time: null }]);
  });

  it('may name it any number of times for one customer', async () => {
    const assetNum = newAssetNum();
    const orders = await api.process(batchOf(newBuy(alice, [assetNum]), deleteAsset(alice, [assetNum])));
    expect(orders.map(({ state }) => state)).toEqual(['succeeded', 'succeeded']);
  });
});

describe('a transferred asset', () => {
  it('of a cloud license is revoked by its new customer, with the transferring order as source', async () => {
    const assetNum = newAssetNum();
    const bought = await sendForId(newBuy(alice, [assetNum], CLOUD, { merchandises: [merchandise()] }));
    const transferred = await sendForId(newBuy(bob, [assetNum], CLOUD, TRANSFER));
    const revoke = (srcLicenseOrderId: string) => deleteAsset(bob, [assetNum], { ...CLOUD, srcLicenseOrderId });
    expect(await sendForCause(revoke(bought))).toBe('source_order_not_found');
    const revoked = await sendForId(revoke(transferred));
    const { assets, transfers, revokers } = await readRecord(assetNum);
    expect(assets).toMatchObject([{ revoked_by_order_id: revoked }]);
    expect(transfers).toMatchObject([
      { license_order_id: transferred, from_customer_id: alice.customerId, to_customer_id: bob.customerId },
    ]);
    expect(revokers).toEqual([revoked, revoked, revoked]);
  });

  it('shows its new customer the order by which its previous contents can be revoked', async () => {
    const center = await MemberCenter.open(stack, api);
    const assetNum = newAssetNum();
    await sendForId(newBuy(alice, [assetNum], {}, { merchandises: [merchandise()] }));
    const transferred = await sendForId(newBuy(center.customer, [assetNum], {}, TRANSFER));
    const [asset] = await center.assets();
    const { productInstanceList, children } = await center.contents(asset!.assetId);
    const shown = [...productInstanceList, ...children, ...children[0]!.productInstanceList!];
    expect(shown.map(({ licenseOrderId }) => licenseOrderId)).toEqual([transferred, transferred, transferred]);
    const order = deleteProduct(center.customer, [assetNum], {}, { srcLicenseOrderId: transferred });
    expect(await become(order)).toMatchObject({ state: 'succeeded', products: 2 });
    expect(await center.contents(asset!.assetId)).toEqual({ productInstanceList: [], children: [] });
  });
});

describe('a purchase', () => {
  it('may come from a purchase of any customer, and records which', async () => {
    const center = await MemberCenter.open(stack, api);
    const [source, ofProduct] = [
      await sendForId(newBuy(alice, [newAssetNum()])),
      await sendForId(newBuy(bob, [newAssetNum()])),
    ];
    const products = [uri('a'), productToBuy({ productUri: 'b', srcLicenseOrderId: ofProduct })];
    const items = { products, merchandises: [merchandise()] };
    await sendForId(newBuy(center.customer, [newAssetNum()], { srcLicenseOrderId: source }, items));
    const [asset] = await center.assets();
    const { productInstanceList, children } = await center.contents(asset!.assetId);
    expect([...productInstanceList, ...children].map(({ srcLicenseOrderId }) => srcLicenseOrderId)).toEqual([
      source,
      ofProduct,
      source,
    ]);
    // A revocation must name a source order of its own customer.
    const revocation = deleteAsset(center.customer, [asset!.assetNum], { srcLicenseOrderId: source });
    expect(await sendForCause(revocation)).toBe('source_order_not_found');
  });

  it('fails if terms that it replaces would start after they end, and changes nothing', async () => {
    const assetNum = newAssetNum();
    const END = 1_800_000_000_000;
    await sendForId(newBuy(alice, [assetNum], {}, { limitStartDate: 3, limitEndDate: END }));
    const result = await become(newBuy(alice, [assetNum], {}, { limitStartDate: END + 1 }));
    expect(result).toMatchObject({ state: 'failed', code: '13004', cause: 'dates_reversed' });
    for (const value of [END, END + 1, assetNum]) expect(result.message).toContain(String(value));
    expect((await readRecord(assetNum)).assets).toMatchObject([{ limit_start_date: '3', limit_end_date: `${END}` }]);
  });
});

describe('a revocation of products', () => {
  it('may name the same instances twice, and revokes each once', async () => {
    const assetNum = newAssetNum();
    await sendForId(newBuy(alice, [assetNum], {}, { products: [uri('a'), uri('a')] }));
    const products = [productToRevoke({ productUri: 'a' }), productToRevoke({ productUri: 'a' })];
    const order = deleteProduct(alice, [], {}, { assets: [{ assetNos: [assetNum], products }] });
    const [preview] = await api.preview(batchOf(order));
    expect(preview).toMatchObject({ state: 'succeeded', products: [{ action: 'revoke' }, { action: 'revoke' }] });
    expect(await become(order)).toMatchObject({ state: 'succeeded', assets: 0, products: 2 });
  });

  it('revokes a merchandise with everything in it, and records the order', async () => {
    const assetNum = newAssetNum();
    const child = merchandise({ merchandiseNum: 'child', licenseOrderProductList: [uri('in child')] });
    const parent = merchandise({ merchandiseNum: 'parent', licenseOrderProductList: [], children: [child] });
    await sendForId(newBuy(alice, [assetNum], {}, { merchandises: [parent] }));
    const revoked = await sendForId(deleteProduct(alice, [assetNum], { productUri: 'in child' }));
    expect((await readRecord(assetNum)).revokers.toSorted()).toEqual([revoked, revoked, revoked, null].toSorted());
  });
});

describe('O9', () => {
  it('skips the numbers of active assets, and reserves none if too few are left', async () => {
    const take = async (size: number) => api.call('POST', '/shellnums', { body: { size } });
    const numbers = async (size: number): Promise<string[]> => (await take(size)).body.data;
    const [first] = await numbers(1);
    const next = (steps: number) => String(Number(first) + steps);
    const [revoked, ...taken] = [next(1), next(2), next(3), next(5)];
    await api.carryOut(newBuy(alice, [revoked, ...taken]), deleteAsset(alice, [revoked]));
    expect(await numbers(3)).toEqual([revoked, next(4), next(6)]);
    expect(await numbers(2)).toEqual([next(7), next(8)]);

    await stack.db.updateTable('asset_number').set({ handed_out: 999_999_997 }).where('first_digit', '=', 8).execute();
    await api.carryOut(newBuy(alice, ['8999999998']));
    expect(refusalOf(await take(2)).cause).toBe('asset_numbers_exhausted');
    expect(await numbers(1)).toEqual(['8999999999']);
  });
});

describe('orders of an application that is bound to channels', () => {
  let bound: Api;
  let own: Customer;
  beforeAll(async () => {
    bound = await stack.newApi(['auth_order', 'auth_me'], ['bound']);
    const names = { customerName: 'Customer', branchName: 'Branch', enterpriseName: `Enterprise ${randomUUID()}` };
    const body = { channelCode: 'bound', channelCustomerId: randomUUID(), passwordMobile: '13800000000', ...names };
    own = (await bound.call('POST', '/enterprise/user/bind', { body })).body.data;
  });

  /** Returns the cause that an order fails with. It must be the same async, sync and in a preview. */
  async function fault(order: Sent): Promise<string> {
    const batch = { ...batchOf(order), channelCode: 'bound' };
    const sync = await bound.submit({ ...batch, syncMode: 'sync' });
    const [preview] = await bound.preview(batch);
    const [result] = await bound.process(batch);
    expect(new Set([refusalOf(sync).cause, preview!.cause, result!.cause]).size).toBe(1);
    return result!.cause!;
  }

  it('find no customer of another channel', async () => {
    expect(await fault(newBuy(alice, [newAssetNum()]))).toBe('customer_not_found');
  });

  it('cannot transfer an asset of another channel or buy onto it', async () => {
    const assetNum = newAssetNum();
    await sendForId(newBuy(alice, [assetNum]));
    expect(await fault(newBuy(own, [assetNum], {}, TRANSFER))).toBe('asset_not_found');
    expect(await fault(newBuy(own, [assetNum]))).toBe('asset_owned_by_other_customer');
    expect((await readRecord(assetNum)).assets).toMatchObject([{ customer_id: alice.customerId }]);
  });

  it('cannot name a purchase of another channel as the source of an order or product', async () => {
    const srcLicenseOrderId = await sendForId(newBuy(alice, [newAssetNum()]));
    expect(await fault(newBuy(own, [newAssetNum()], { srcLicenseOrderId }))).toBe('source_order_not_found');
    const product = productToBuy({ srcLicenseOrderId });
    expect(await fault(newBuy(own, [newAssetNum()], {}, { products: [product] }))).toBe('source_order_not_found');
  });

  it('can do all of that within their channels', async () => {
    const assetNum = newAssetNum();
    const batch = (...orders: Sent[]) => ({ ...batchOf(...orders), channelCode: 'bound' });
    const [first] = await bound.process(batch(newBuy(own, [assetNum])));
    const [second] = await bound.process(
      batch(newBuy(own, [assetNum], { srcLicenseOrderId: first!.licenseOrderId }, TRANSFER)),
    );
    expect(second).toMatchObject({ state: 'succeeded' });
  });
});
