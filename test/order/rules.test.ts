import { buildMessage, type OrderResult } from '@lockstep/contract';
import { afterEach, describe, expect, it } from 'vitest';
import { dataOf, refusalOf } from '../harness/api.ts';
import { checkNumbers } from '../harness/databases/numbers.ts';
import { type AnyRow, contentOfTables } from '../harness/databases/tables.ts';
import { MemberCenter } from '../harness/members/member-center.ts';
import {
  batchOf,
  deleteAsset,
  deleteProduct,
  feature,
  merchandise,
  newAssetNum,
  newBuy,
  productToBuy,
  type Sent,
  SUCCEEDED,
} from '../harness/orders/orders.ts';
import { syncOf } from '../harness/orders/sync-batches.ts';
import { testStack } from '../harness/stack.ts';

/**
 * Rules 6.1, 6.5 and 2, from the API call to the database rows. The model (test/model) compares what any orders do;
 * here is what its ledger does not have.
 */

const { stack, api } = await testStack();
const [customer, other] = await Promise.all([api.newCustomer(), api.newCustomer()]);
afterEach(async () => expect(await checkNumbers(stack.db)).toEqual([]));

const CLOUD = { licenseType: 'cloud_account' };
const TRANSFER = { transferedAssetNum: true, products: undefined };
const END = 1_800_000_000_000;
const LATEST = Date.UTC(10_000, 0) - 1;
const uri = (productUri: string, changes: Sent = {}) => productToBuy({ productUri, ...changes });
const isActive = (row: AnyRow) => row.revoked_time === null;

/** Sends an order in a batch of its own. Returns its result. */
async function process(order: Sent): Promise<OrderResult> {
  const [result] = await api.process(batchOf(order));
  return result!;
}

/** Sends an order that must succeed. Returns its result. */
async function succeed(order: Sent): Promise<OrderResult> {
  const result = await process(order);
  expect(result).toMatchObject(SUCCEEDED);
  return result;
}

/** Sends an order that must fail. Returns its cause. */
async function fail(order: Sent): Promise<OrderResult['cause']> {
  const result = await process(order);
  expect(result).toMatchObject({ state: 'failed', code: '13004', assets: 0, products: 0 });
  return result.cause;
}

/** Returns all assets that had the number, oldest first, each with its contents on record. */
async function readRecords(assetNum: string) {
  const { db } = stack;
  const assets = await db.selectFrom('asset').selectAll().where('asset_num', '=', assetNum).orderBy('id').execute();
  return await Promise.all(
    assets.map(async (asset) => {
      const grants = db.selectFrom('asset_grant').selectAll().where('asset_id', '=', asset.id);
      const merchandises = db.selectFrom('merchandise_instance').selectAll().where('asset_id', '=', asset.id);
      const products = db.selectFrom('product_instance').innerJoin('product_terms', 'product_terms.id', 'terms_id');
      const ofAsset = products.selectAll('product_instance').where('asset_id', '=', asset.id);
      return {
        ...asset,
        grants: await grants.orderBy('license_order_id').execute(),
        merchandises: await merchandises.orderBy('id').execute(),
        products: await ofAsset
          .select(['product_uri', 'product_name', 'fields'])
          .orderBy('product_instance.id')
          .execute(),
      };
    }),
  );
}

/** Returns the number's active asset. */
async function readAsset(assetNum: string) {
  const [active, ...others] = (await readRecords(assetNum)).filter(isActive);
  expect(others).toEqual([]);
  return active!;
}

/** Returns the productUris active on the asset, oldest first. */
const productsOn = async (assetNum: string) =>
  (await readAsset(assetNum)).products.filter(isActive).map((product) => product.product_uri);

describe('new_buy', () => {
  it('stores what was bought', async () => {
    const assetNum = newAssetNum();
    const sold = feature({ trial: 1, trialEndDate: '2030-01-01' });
    const product = uri('gms-7', {
      gmsPid: 'pid',
      appKey: null,
      parentCrmProductId: 'parent',
      limitStartDate: 1,
      limitEndDate: 1_800_000_000_002,
      limitConcurrent: 5,
      limitTimeDuration: 3,
      trial: 1,
      trialEndDate: 4,
      passwords: [' p ', 'a"b\\c,{}', 'null'],
      productFeatures: [sold],
    });
    const element = {
      products: [product],
      limitStartDate: 10,
      limitEndDate: 1_800_000_000_020,
      borrowedUsbKey: true,
      assetExtendList: [{ extendCode: 'gxxp', extendValue: '1' }, { extendCode: 'empty' }],
    };
    const { licenseOrderId } = await succeed(newBuy(customer, [assetNum], { licenseType: 'lan_softkey' }, element));
    expect(await readAsset(assetNum)).toMatchObject({
      customer_id: customer.customerId,
      license_type: 'lan_softkey',
      borrowed_usb_key: true,
      limit_start_date: '10',
      limit_end_date: '1800000000020',
      extends: { gxxp: '1', empty: '' },
      grants: [{ license_order_id: licenseOrderId, revoked_time: null }],
      merchandises: [],
      products: [
        {
          license_order_id: licenseOrderId,
          merchandise_id: null,
          src_license_order_id: null,
          crm_product_id: 'crm-1',
          product_uri: 'gms-7',
          product_name: 'Cost Estimator',
          limit_start_date: '1',
          limit_end_date: '1800000000002',
          limit_concurrent: 5,
          parent_crm_product_id: 'parent',
          passwords: [' p ', 'a"b\\c,{}', 'null'],
          fields: {
            productUri: 'gms-7',
            productName: 'Cost Estimator',
            gmsPid: 'pid',
            productType: 'tool',
            limitTimeDuration: 3,
            trial: 1,
            trialEndDate: 4,
            timeUnit: 'year',
            timeUnitQuantity: 1,
            timeDurationExpression: '1-0-0',
            productFeatures: [{ ...sold, trialEndDate: Date.UTC(2030, 0, 1) }],
          },
        },
      ],
    });
  });

  it('gives an asset 100 extended attributes, one after another, and not one more', async () => {
    const assetNum = newAssetNum();
    const buy = (first: number, last: number, extendValue = '') => {
      const assetExtendList = Array.from({ length: last - first + 1 }, (_, index) => ({
        extendCode: `code ${first + index}`,
        extendValue,
      }));
      return newBuy(customer, [assetNum], {}, { assetExtendList });
    };
    await succeed(buy(1, 99));
    expect(await fail(buy(100, 101))).toBe('asset_full');
    await succeed(buy(91, 100, 'replaced'));
    expect(await fail(buy(100, 101))).toBe('asset_full');
    const refusal = refusalOf(await api.submit(syncOf(buy(101, 101))));
    expect(refusal.message).toContain(buildMessage('asset_full', assetNum, 100, 'attributes', 'assets[0].assetNos[0]'));
    await succeed(buy(1, 100, 'replaced'));
    const { extends: stored } = await readAsset(assetNum);
    expect(Object.values(stored!)).toEqual(Array.from({ length: 100 }, () => 'replaced'));
  });

  it('of an asset that the customer has changes the time of its last change only', async () => {
    const assetNum = newAssetNum();
    await succeed(newBuy(customer, [assetNum]));
    const before = await readAsset(assetNum);
    await succeed(newBuy(customer, [assetNum]));
    const after = await readAsset(assetNum);
    expect(after.id).toBe(before.id);
    expect(after.updated_time.getTime()).toBeGreaterThan(before.updated_time.getTime());
    expect(after.created_time).toEqual(before.created_time);
  });

  it('becomes the source order of what it transfers, of which nothing else changes', async () => {
    const assetNum = newAssetNum();
    await succeed(newBuy(other, [assetNum], {}, { products: [uri('a')], merchandises: [merchandise()] }));
    const before = await readAsset(assetNum);
    const transfer = { transferedAssetNum: true, products: [uri('b')], limitEndDate: END };
    const result = await succeed(newBuy(customer, [assetNum], {}, transfer));
    expect(result).toMatchObject({ assets: 0, products: 1 });
    const after = await readAsset(assetNum);
    expect(after).toMatchObject({ id: before.id, customer_id: customer.customerId, limit_end_date: `${END}` });
    const taken = { held_by_order_id: result.licenseOrderId, updated_time: expect.any(Date) };
    expect(after.products.slice(0, -1)).toEqual(before.products.map((each) => ({ ...each, ...taken })));
    expect(after.merchandises).toEqual(before.merchandises.map((each) => ({ ...each, ...taken })));
    expect(await productsOn(assetNum)).toEqual(['a', 'gms-100', 'b']);
  });

  it('of a revoked number is a new asset, and the old one stays on record as it was', async () => {
    const assetNum = newAssetNum();
    const element = { products: [uri('a')], merchandises: [merchandise()], limitEndDate: END };
    await succeed(newBuy(customer, [assetNum], {}, element));
    await succeed(deleteAsset(customer, [assetNum]));
    const [revoked] = await readRecords(assetNum);
    for (const thing of [revoked!, ...revoked!.products, ...revoked!.merchandises, ...revoked!.grants]) {
      expect(isActive(thing)).toBe(false);
    }
    await succeed(newBuy(other, [assetNum], { licenseType: 'softkey' }));
    expect((await readRecords(assetNum))[0]).toEqual(revoked);
    expect(await readAsset(assetNum)).toMatchObject({ customer_id: other.customerId, license_type: 'softkey' });
  });

  it('may come from a purchase of any customer, and M7 shows which', async () => {
    const center = await MemberCenter.open(stack, api);
    const { licenseOrderId: source } = await succeed(newBuy(customer, [newAssetNum()]));
    const { licenseOrderId: ofProduct } = await succeed(newBuy(other, [newAssetNum()]));
    const items = { products: [uri('a'), uri('b', { srcLicenseOrderId: ofProduct })], merchandises: [merchandise()] };
    await succeed(newBuy(center.customer, [newAssetNum()], { srcLicenseOrderId: source }, items));
    const [asset] = await center.assets();
    const { productInstanceList, children } = await center.contents(asset!.assetId);
    const shown = [...productInstanceList, ...children].map(({ srcLicenseOrderId }) => srcLicenseOrderId);
    expect(shown).toEqual([source, ofProduct, source]);
  });

  it.each<[what: string, change: Sent, start: number | null, end: number | null]>([
    ['nothing with null', { limitStartDate: null, limitEndDate: null }, 5, END],
    ['the start with 1970', { limitStartDate: 0 }, 0, END],
    ['the end with the last millisecond of a day', { limitEndDate: END + 86_399_999 }, 5, END + 86_399_999],
    ['the end with the earliest', { limitEndDate: 100_000_000_000 }, 5, 100_000_000_000],
    ['the end with the millisecond before the latest', { limitEndDate: LATEST - 1 }, 5, LATEST - 1],
    ['the end with none', { limitEndDate: LATEST }, 5, null],
    ['both, which removes the end', { limitStartDate: LATEST, limitEndDate: LATEST }, LATEST, null],
    ['the start, and the millisecond is the end', { limitStartDate: END }, END, END],
  ])('replaces of the dates of an asset %s', async (_, change, start, end) => {
    const assetNum = newAssetNum();
    await succeed(newBuy(customer, [assetNum], {}, { limitStartDate: 5, limitEndDate: END }));
    await succeed(newBuy(customer, [assetNum], {}, { ...TRANSFER, ...change }));
    const { limitStartDate, limitEndDate } = dataOf(await api.call('GET', `/asset/${assetNum}`));
    expect([limitStartDate, limitEndDate]).toEqual([start, end]);
  });

  it('of a new asset with the latest time as its end has none, and may still get one', async () => {
    const assetNum = newAssetNum();
    await succeed(newBuy(customer, [assetNum], {}, { limitEndDate: LATEST }));
    expect(await readAsset(assetNum)).toMatchObject({ limit_end_date: null });
    await succeed(newBuy(customer, [assetNum], {}, { limitEndDate: END }));
    expect(await readAsset(assetNum)).toMatchObject({ limit_end_date: `${END}` });
  });

  it('fails if terms that it replaces would start after they end, and says which', async () => {
    const assetNum = newAssetNum();
    await succeed(newBuy(customer, [assetNum], {}, { limitStartDate: 3, limitEndDate: END }));
    const result = await process(newBuy(customer, [assetNum], {}, { limitStartDate: END + 1 }));
    const failed = { state: 'failed', code: '13004', cause: 'dates_reversed' };
    expect(result).toMatchObject({ ...failed, assetNums: [assetNum], places: ['assets[0].limitStartDate'] });
    for (const value of [END, END + 1, assetNum]) expect(result.message).toContain(String(value));
    expect(await readAsset(assetNum)).toMatchObject({ limit_start_date: '3', limit_end_date: `${END}` });
  });

  it('fails for an unknown customer or another enterprise, and stores nothing', async () => {
    const assetNum = newAssetNum();
    for (const customerId of ['999999999', '9999999999999999999', `0${customer.customerId}`]) {
      expect(await fail(newBuy(customer, [assetNum], { customerId }))).toBe('customer_not_found');
    }
    for (const enterpriseGlobalId of [other.enterpriseGlobalId, `0${customer.enterpriseGlobalId}`]) {
      expect(await fail(newBuy(customer, [assetNum], { enterpriseGlobalId }))).toBe('enterprise_mismatch');
    }
    expect(await readRecords(assetNum)).toEqual([]);
  });
});

describe('a transferred asset', () => {
  it('of a cloud license is revoked by its new customer, with the transferring order as source', async () => {
    const assetNum = newAssetNum();
    const bought = await succeed(newBuy(customer, [assetNum], CLOUD, { merchandises: [merchandise()] }));
    const transferred = await succeed(newBuy(other, [assetNum], CLOUD, TRANSFER));
    const revoke = ({ licenseOrderId: srcLicenseOrderId }: OrderResult) =>
      deleteAsset(other, [assetNum], { ...CLOUD, srcLicenseOrderId });
    expect(await fail(revoke(bought))).toBe('source_order_not_found');
    await succeed(revoke(transferred));
    expect((await readRecords(assetNum)).map(isActive)).toEqual([false]);
  });

  it('shows its new customer the order by which its previous contents can be revoked', async () => {
    const center = await MemberCenter.open(stack, api);
    const assetNum = newAssetNum();
    await succeed(newBuy(customer, [assetNum], {}, { merchandises: [merchandise()] }));
    const { licenseOrderId: transferred } = await succeed(newBuy(center.customer, [assetNum], {}, TRANSFER));
    const [asset] = await center.assets();
    const { productInstanceList, children } = await center.contents(asset!.assetId);
    const shown = [...productInstanceList, ...children, ...children[0]!.productInstanceList!];
    expect(shown.map(({ licenseOrderId }) => licenseOrderId)).toEqual([transferred, transferred, transferred]);
    const order = deleteProduct(center.customer, [assetNum], {}, { srcLicenseOrderId: transferred });
    expect(await succeed(order)).toMatchObject({ products: 2 });
    expect(await center.contents(asset!.assetId)).toMatchObject({ productInstanceList: [], children: [] });
  });
});

describe('within one batch', () => {
  it('each order succeeds or fails alone, and a failed one changes nothing', async () => {
    const [assetNum, otherNum, newNum] = [newAssetNum(), newAssetNum(), newAssetNum()];
    await succeed(newBuy(other, [otherNum]));
    const results = await api.process(
      batchOf(
        newBuy(customer, [assetNum], {}, { products: [uri('a')] }),
        // Fails at its last number, after an addition and a new asset.
        newBuy(customer, [assetNum, newNum, otherNum], {}, { products: [uri('b')], limitEndDate: END }),
        deleteAsset(customer, [assetNum, newNum]),
        newBuy(customer, [assetNum], {}, { products: [uri('c')] }),
      ),
    );
    expect(results).toMatchObject([
      { state: 'succeeded', assets: 1, products: 1 },
      { state: 'failed', cause: 'asset_owned_by_other_customer', assets: 0, products: 0 },
      { state: 'failed', cause: 'asset_not_found' },
      { state: 'succeeded', assets: 0, products: 1 },
    ]);
    expect(results[1]!.message).toContain(otherNum);
    expect(await productsOn(assetNum)).toEqual(['a', 'c']);
    expect(await readAsset(assetNum)).toMatchObject({ limit_end_date: null, grants: [{}, {}] });
    expect(await readRecords(newNum)).toEqual([]);
  });
});

describe('an async batch that names one asset number for two customers', () => {
  const shared = (assetNum: string) => [
    newBuy(customer, [newAssetNum(), assetNum]),
    newBuy(customer, [newAssetNum()]),
    newBuy(other, [` ${assetNum} `], {}, TRANSFER),
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
    expect(await readAsset(assetNum)).toMatchObject({ customer_id: other.customerId });
  });
});
