import { randomUUID } from 'node:crypto';
import { type AssetId, buildMessage, type Customer, type MemberId, type OrderResult } from '@lockstep/contract';
import { afterEach, describe, expect, it } from 'vitest';
import { dataOf, refusalOf } from '../harness/api.ts';
import { checkNumbers } from '../harness/databases/numbers.ts';
import {
  batchOf,
  deleteAsset,
  deleteProduct,
  merchandise,
  newAssetNum,
  newBuy,
  productToBuy,
  type Sent,
} from '../harness/orders/orders.ts';
import { syncOf } from '../harness/orders/sync-batches.ts';
import { QUEUE_KINDS, testStack } from '../harness/stack.ts';

const DEEPEST_MERCHANDISE = 16;

/** The rules of rules 6.5, from the API call to the database rows. */
describe.each(QUEUE_KINDS)('an order on %s', async (queue) => {
  const { stack, api } = await testStack({ queue });
  const [customer, other] = [await api.newCustomer(), await api.newCustomer()];
  afterEach(async () => expect(await checkNumbers(stack.db)).toEqual([]));

  /** Sends orders as one batch and returns their results. */
  const process = (...orders: Sent[]) => api.process(batchOf(...orders));

  /** Sends an order that must succeed. Returns its result. */
  async function succeed(order: Sent): Promise<OrderResult> {
    const [result] = await process(order);
    expect(result).toMatchObject({ state: 'succeeded', code: null, cause: null, message: null });
    return result!;
  }

  /** Sends an order that must fail. Returns its cause. */
  async function fail(order: Sent): Promise<OrderResult['cause']> {
    const [result] = await process(order);
    expect(result).toMatchObject({ state: 'failed', code: '13004', assets: 0, products: 0 });
    return result!.cause;
  }

  /** Returns all assets that had the number, oldest first, each with its contents on record. */
  async function readRecords(assetNum: string) {
    const { db } = stack;
    const assets = await db.selectFrom('asset').selectAll().where('asset_num', '=', assetNum).orderBy('id').execute();
    const ids = assets.map(({ id }) => id).concat('0' as AssetId);
    const grants = await db.selectFrom('asset_grant').selectAll().where('asset_id', 'in', ids).execute();
    const merchandises = await db.selectFrom('merchandise_instance').selectAll().where('asset_id', 'in', ids).execute();
    const products = await db
      .selectFrom('product_instance')
      .innerJoin('product_terms', 'product_terms.id', 'terms_id')
      .selectAll('product_instance')
      .select(['product_uri', 'product_name', 'fields'])
      .where('asset_id', 'in', ids)
      .execute();
    return assets.map((asset) => ({
      ...asset,
      grants: grants.filter((grant) => grant.asset_id === asset.id).toSorted(byNumber('license_order_id')),
      merchandises: merchandises.filter((each) => each.asset_id === asset.id).toSorted(byNumber('id')),
      products: products.filter((product) => product.asset_id === asset.id).toSorted(byNumber('id')),
    }));
  }

  const byNumber =
    <Key extends string>(key: Key) =>
    (a: Record<Key, string>, b: Record<Key, string>) =>
      Number(a[key]) - Number(b[key]);

  /** Returns the number's active asset. */
  async function readAsset(assetNum: string) {
    const [active, ...others] = (await readRecords(assetNum)).filter(isActive);
    expect(others).toEqual([]);
    if (active === undefined) throw new Error(`${assetNum} is not active`);
    return active;
  }

  /** Returns the productUris active on the asset, oldest first. */
  const productsOn = async (assetNum: string) =>
    (await readAsset(assetNum)).products.filter(isActive).map((product) => product.product_uri);

  const isActive = (row: { revoked_time: Date | null }) => row.revoked_time === null;

  const uri = (productUri: string, changes: Sent = {}) => productToBuy({ productUri, ...changes });

  /** Creates a customer whose enterprise has employees. */
  async function newCustomerWithMembers(): Promise<{ customer: Customer; memberIds: MemberId[] }> {
    const crmCustomerId = randomUUID();
    const body = { crmCustomerId, customerName: `Enterprise ${crmCustomerId}`, branchName: 'Branch' };
    const { members } = dataOf(await api.call('POST', '/enterprise/user/create', { body }));
    const query = { channelCode: 'crm', channelCustomerId: crmCustomerId, defaultCustomer: 'Y' };
    const [customer] = dataOf(await api.call('GET', '/enterprise/user/query', { query }));
    return { customer, memberIds: members.map((member: { memberGlobalId: MemberId }) => member.memberGlobalId) };
  }

  /** Assigns the asset to an employee and lends it into the other, which becomes a borrowed lock. */
  async function assignAndLend(memberIds: MemberId[], assetNum: string, lockNum: string): Promise<void> {
    const [asset, lock] = [await readAsset(assetNum), await readAsset(lockNum)];
    const assignment = { asset_id: asset.id, member_id: memberIds[0]! };
    await stack.db.updateTable('asset').set({ borrowed_usb_key: true }).where('id', '=', lock.id).execute();
    await stack.db.insertInto('asset_assignment').values(assignment).execute();
    await stack.db.insertInto('asset_lending').values({ asset_id: asset.id, lock_asset_id: lock.id }).execute();
  }

  /** Returns which of the assets are assigned, and which are lent or lent into. */
  async function readHoldings(...assetNums: string[]): Promise<{ held: boolean[]; lent: boolean[] }> {
    const records = await Promise.all(assetNums.map(readRecords));
    const assignments = await stack.db.selectFrom('asset_assignment').selectAll().execute();
    const lendings = await stack.db.selectFrom('asset_lending').selectAll().execute();
    const lentIds = lendings.flatMap(({ asset_id, lock_asset_id }) => [asset_id, lock_asset_id]);
    return {
      held: records.map(([record]) => assignments.some(({ asset_id }) => asset_id === record?.id)),
      lent: records.map(([record]) => lentIds.includes(record!.id)),
    };
  }

  describe('new_buy', () => {
    it('stores what was bought', async () => {
      const assetNum = newAssetNum();
      const feature = {
        featureCode: 'f',
        featureName: 'Feature',
        featureValue: '1',
        featureValueType: 'int',
        trial: 1,
        trialEndDate: '2030-01-01',
      };
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
        productFeatures: [feature],
      });
      const element = {
        products: [product],
        limitStartDate: 10,
        limitEndDate: 1_800_000_000_020,
        borrowedUsbKey: true,
        assetExtendList: [{ extendCode: 'gxxp', extendValue: '1' }, { extendCode: 'empty' }],
      };
      const order = newBuy(customer, [assetNum], { licenseType: 'lan_softkey' }, element);
      const { licenseOrderId } = await succeed(order);
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
              productFeatures: [{ ...feature, trialEndDate: Date.UTC(2030, 0, 1) }],
            },
          },
        ],
      });
    });

    it('adds to an asset that the customer already has', async () => {
      const assetNum = newAssetNum();
      const codes = (...assetExtendList: Sent[]) => ({ assetExtendList });
      const first = await succeed(
        newBuy(
          customer,
          [assetNum],
          {},
          {
            limitStartDate: 1,
            limitEndDate: 1_800_000_000_009,
            borrowedUsbKey: true,
            products: [uri('a')],
            ...codes({ extendCode: 'keep', extendValue: '1' }, { extendCode: 'change', extendValue: '1' }),
          },
        ),
      );
      const before = await readAsset(assetNum);
      const second = await succeed(
        newBuy(
          customer,
          [assetNum],
          {},
          {
            limitEndDate: 1_800_000_000_008,
            products: [uri('a'), uri('b')],
            ...codes({ extendCode: 'change', extendValue: '2' }, { extendCode: 'new', extendValue: '3' }),
          },
        ),
      );
      expect([first, second]).toMatchObject([
        { assets: 1, products: 1 },
        { assets: 0, products: 2 },
      ]);
      const after = await readAsset(assetNum);
      expect(after).toMatchObject({
        id: before.id,
        limit_start_date: '1',
        limit_end_date: '1800000000008',
        borrowed_usb_key: true,
        extends: { keep: '1', change: '2', new: '3' },
        grants: [first, second].map(({ licenseOrderId }) => ({ license_order_id: licenseOrderId })),
        products: [{ product_uri: 'a' }, { product_uri: 'a' }, { product_uri: 'b' }],
      });
      expect(after.updated_time.getTime()).toBeGreaterThan(before.updated_time.getTime());
      expect(after.created_time).toEqual(before.created_time);
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
      expect(refusal.message).toContain(buildMessage('asset_full', assetNum, 100, 'attributes'));
      await succeed(buy(1, 100, 'replaced'));
      const { extends: stored } = await readAsset(assetNum);
      expect(Object.values(stored!)).toEqual(Array.from({ length: 100 }, () => 'replaced'));
    });

    it('transfers an asset with all its contents, and ends its assignment and its loan', async () => {
      const { customer: seller, memberIds } = await newCustomerWithMembers();
      const [assetNum, lockNum] = [newAssetNum(), newAssetNum()];
      await succeed(newBuy(seller, [assetNum, lockNum], {}, { products: [uri('a')], merchandises: [merchandise()] }));
      await assignAndLend(memberIds, assetNum, lockNum);
      const before = await readAsset(assetNum);
      const transfer = { transferedAssetNum: true, products: [uri('b')], limitEndDate: 1_800_000_000_009 };
      const result = await succeed(newBuy(customer, [assetNum], {}, transfer));
      expect(result).toMatchObject({ assets: 0, products: 1 });
      const after = await readAsset(assetNum);
      expect(after).toMatchObject({ id: before.id, customer_id: customer.customerId, limit_end_date: '1800000000009' });
      // The transfer becomes the source order of the asset's contents. Nothing else about them changes.
      const taken = { held_by_order_id: result.licenseOrderId, updated_time: expect.any(Date) };
      expect(after.products.slice(0, -1)).toEqual(before.products.map((each) => ({ ...each, ...taken })));
      expect(after.merchandises).toEqual(before.merchandises.map((each) => ({ ...each, ...taken })));
      expect(await productsOn(assetNum)).toEqual(['a', 'gms-100', 'b']);
      expect(await readHoldings(assetNum, lockNum)).toEqual({ held: [false, false], lent: [false, false] });
      expect(await fail(deleteAsset(seller, [assetNum]))).toBe('asset_not_found');
    });

    it('ends the loan into a lock that it transfers', async () => {
      const { customer: seller, memberIds } = await newCustomerWithMembers();
      const [assetNum, lockNum] = [newAssetNum(), newAssetNum()];
      await succeed(newBuy(seller, [assetNum, lockNum]));
      await assignAndLend(memberIds, assetNum, lockNum);
      await succeed(newBuy(customer, [lockNum], {}, { transferedAssetNum: true }));
      expect(await readHoldings(assetNum, lockNum)).toEqual({ held: [true, false], lent: [false, false] });
    });

    it('keeps assignment and loan if it only adds', async () => {
      const { customer, memberIds } = await newCustomerWithMembers();
      const [assetNum, lockNum] = [newAssetNum(), newAssetNum()];
      await succeed(newBuy(customer, [assetNum, lockNum]));
      await assignAndLend(memberIds, assetNum, lockNum);
      await succeed(newBuy(customer, [assetNum, lockNum], {}, { transferedAssetNum: true }));
      expect(await readHoldings(assetNum, lockNum)).toEqual({ held: [true, false], lent: [true, true] });
    });

    it('stores merchandise 16 deep, each with its parent and its products', async () => {
      const assetNums = [newAssetNum(), newAssetNum()];
      const nested = (level: number): Sent =>
        merchandise({
          merchandiseNum: `M-${level}`,
          parentMerchandiseNum: level === 1 ? '' : `M-${level - 1}`,
          licenseOrderProductList: [uri(`in M-${level}`)],
          children: level === DEEPEST_MERCHANDISE ? null : [nested(level + 1), merchandise({ merchandiseNum: 'leaf' })],
        });
      const merchandises = [nested(1)];
      const result = await succeed(newBuy(customer, assetNums, {}, { products: null, merchandises }));
      expect(result).toMatchObject({ assets: 2, products: 2 * (2 * DEEPEST_MERCHANDISE - 1) });
      for (const assetNum of assetNums) {
        const { merchandises, products } = await readAsset(assetNum);
        const byId = new Map(merchandises.map((each) => [each.id, each]));
        const numOf = (id: string | null) => (id === null ? null : byId.get(id)?.merchandise_num);
        const levels = Array.from({ length: DEEPEST_MERCHANDISE }, (_, index) => index + 1);
        const spine = merchandises.filter((each) => each.merchandise_num !== 'leaf');
        expect(spine.map((each) => [each.merchandise_num, each.parent_merchandise_num, numOf(each.parent_id)])).toEqual(
          levels.map((level) => [
            `M-${level}`,
            level === 1 ? '' : `M-${level - 1}`,
            level === 1 ? null : `M-${level - 1}`,
          ]),
        );
        const leaves = merchandises.filter((each) => each.merchandise_num === 'leaf');
        expect(leaves.map((each) => numOf(each.parent_id)).toSorted()).toEqual(
          levels
            .slice(0, -1)
            .map((level) => `M-${level}`)
            .toSorted(),
        );
        for (const product of products) {
          const num = numOf(product.merchandise_id);
          expect(product.product_uri).toBe(num === 'leaf' ? 'gms-100' : `in ${num}`);
        }
      }
    });

    it('buys a revoked number again as a new asset, and keeps the old one on record', async () => {
      const assetNum = newAssetNum();
      const element = { products: [uri('a')], merchandises: [merchandise()], limitEndDate: 1_800_000_000_005 };
      await succeed(newBuy(customer, [assetNum], {}, element));
      await succeed(deleteAsset(customer, [assetNum]));
      const [revoked] = await readRecords(assetNum);
      await succeed(newBuy(other, [assetNum], { licenseType: 'softkey' }, { products: [uri('b')] }));
      const [first, second, ...more] = await readRecords(assetNum);
      expect(more).toEqual([]);
      expect(first).toEqual(revoked);
      expect(first).toMatchObject({ customer_id: customer.customerId, limit_end_date: '1800000000005' });
      for (const thing of [first!, ...first!.products, ...first!.merchandises, ...first!.grants]) {
        expect(isActive(thing)).toBe(false);
      }
      expect(second).toMatchObject({ customer_id: other.customerId, license_type: 'softkey', revoked_time: null });
      expect(second!.id).not.toBe(first!.id);
      expect(await productsOn(assetNum)).toEqual(['b']);
    });
  });

  describe('delete_asset', () => {
    it('revokes the asset with all its contents, and ends its assignment and its loan', async () => {
      const { customer, memberIds } = await newCustomerWithMembers();
      const [assetNum, lockNum] = [newAssetNum(), newAssetNum()];
      await succeed(newBuy(customer, [assetNum, lockNum], {}, { merchandises: [merchandise()] }));
      await succeed(newBuy(customer, [assetNum]));
      await assignAndLend(memberIds, assetNum, lockNum);
      expect(await succeed(deleteAsset(customer, [assetNum]))).toMatchObject({ assets: 1, products: 3 });
      const [record] = await readRecords(assetNum);
      for (const thing of [record!, ...record!.products, ...record!.merchandises, ...record!.grants]) {
        expect(isActive(thing)).toBe(false);
      }
      expect(await productsOn(lockNum)).toEqual(['gms-100', 'gms-100']);
      expect(await readHoldings(assetNum, lockNum)).toEqual({ held: [false, false], lent: [false, false] });
    });

    it('ends the loan into a lock that it revokes', async () => {
      const { customer, memberIds } = await newCustomerWithMembers();
      const [assetNum, lockNum] = [newAssetNum(), newAssetNum()];
      await succeed(newBuy(customer, [assetNum, lockNum]));
      await assignAndLend(memberIds, assetNum, lockNum);
      await succeed(deleteAsset(customer, [lockNum]));
      expect(await readHoldings(assetNum, lockNum)).toEqual({ held: [true, false], lent: [false, false] });
    });

    it('with a source order revokes what that order granted, and the asset with its last grant', async () => {
      const { customer, memberIds } = await newCustomerWithMembers();
      const [assetNum, lockNum] = [newAssetNum(), newAssetNum()];
      const first = await succeed(
        newBuy(customer, [assetNum], {}, { products: [uri('a')], merchandises: [merchandise()] }),
      );
      const second = await succeed(newBuy(customer, [assetNum, lockNum], {}, { products: [uri('b')] }));
      await assignAndLend(memberIds, assetNum, lockNum);
      const revoke = ({ licenseOrderId }: OrderResult) =>
        deleteAsset(customer, [assetNum], { srcLicenseOrderId: licenseOrderId });

      expect(await succeed(revoke(first))).toMatchObject({ assets: 0, products: 2 });
      const asset = await readAsset(assetNum);
      expect(asset.grants.filter(isActive)).toMatchObject([{ license_order_id: second.licenseOrderId }]);
      expect(asset.merchandises.filter(isActive)).toEqual([]);
      expect(await productsOn(assetNum)).toEqual(['b']);
      expect(await readHoldings(assetNum)).toEqual({ held: [true], lent: [true] });
      expect(await fail(revoke(first))).toBe('asset_not_in_source_order');

      expect(await succeed(revoke(second))).toMatchObject({ assets: 1, products: 1 });
      expect((await readRecords(assetNum)).filter(isActive)).toEqual([]);
      expect(await productsOn(lockNum)).toEqual(['b']);
      expect(await readHoldings(assetNum)).toEqual({ held: [false], lent: [false] });
    });

    it('accepts as source order only a succeeded new_buy of the customer', async () => {
      const [assetNum, otherNum] = [newAssetNum(), newAssetNum()];
      const results = await process(
        newBuy(customer, [assetNum]),
        newBuy(customer, [assetNum], { licenseType: 'softkey' }),
        deleteProduct(customer, [assetNum]),
        newBuy(customer, [otherNum]),
        deleteAsset(customer, [otherNum]),
      );
      const others = await succeed(newBuy(other, [otherNum]));
      const [bought, failed, productRevocation, , assetRevocation] = results;
      const revoke = (source: OrderResult) =>
        deleteAsset(customer, [assetNum], { srcLicenseOrderId: source.licenseOrderId });
      for (const source of [failed, productRevocation, assetRevocation, others]) {
        expect(await fail(revoke(source!))).toBe('source_order_not_found');
      }
      await succeed(revoke(bought!));
    });
  });

  describe('delete_product', () => {
    it('by mnemonic revokes all products of a productUri, in merchandise too, and keeps the asset', async () => {
      const [assetNum, otherNum] = [newAssetNum(), newAssetNum()];
      const inside = merchandise({ children: [merchandise({ licenseOrderProductList: [uri('a'), uri('c')] })] });
      const products = [uri('a', { limitEndDate: 1_800_000_000_005 }), uri('b')];
      await succeed(newBuy(customer, [assetNum, otherNum], {}, { products }));
      await succeed(newBuy(customer, [assetNum], {}, { products: [uri('a')], merchandises: [inside] }));
      const result = await succeed(deleteProduct(customer, [assetNum], { productUri: 'a', limitConcurrent: 99 }));
      expect(result).toMatchObject({ assets: 0, products: 3 });
      expect(await productsOn(assetNum)).toEqual(['b', 'gms-100', 'c']);
      expect(await productsOn(otherNum)).toEqual(['a', 'b']);
      const asset = await readAsset(assetNum);
      expect(asset.products.length).toBe(6);
      expect([...asset.merchandises, ...asset.grants].every(isActive)).toBe(true);
      expect(await fail(deleteProduct(customer, [assetNum], { productUri: 'a' }))).toBe('product_not_found');
    });
  });

  it('fails for an unknown customer or another enterprise, and stores nothing', async () => {
    const assetNum = newAssetNum();
    const { enterpriseGlobalId } = other;
    for (const customerId of ['999999999', '9999999999999999999', `0${customer.customerId}`]) {
      expect(await fail(newBuy(customer, [assetNum], { customerId }))).toBe('customer_not_found');
    }
    expect(await fail(newBuy(customer, [assetNum], { enterpriseGlobalId }))).toBe('enterprise_mismatch');
    expect(await readRecords(assetNum)).toEqual([]);
  });

  describe('within one batch', () => {
    it('each order succeeds or fails alone, and a failed one changes nothing', async () => {
      const [assetNum, otherNum, newNum] = [newAssetNum(), newAssetNum(), newAssetNum()];
      await succeed(newBuy(other, [otherNum]));
      const results = await process(
        newBuy(customer, [assetNum], {}, { products: [uri('a')] }),
        // Fails at its last number, after an addition and a new asset.
        newBuy(customer, [assetNum, newNum, otherNum], {}, { products: [uri('b')], limitEndDate: 1_800_000_000_005 }),
        deleteAsset(customer, [assetNum, newNum]),
        newBuy(customer, [assetNum], {}, { products: [uri('c')] }),
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

    it('a number can be bought, revoked and bought again', async () => {
      const assetNum = newAssetNum();
      const results = await process(
        newBuy(customer, [assetNum], {}, { products: [uri('a')], merchandises: [merchandise()] }),
        deleteAsset(customer, [assetNum]),
        newBuy(customer, [assetNum], { licenseType: 'softkey' }, { products: [uri('b')] }),
        deleteAsset(customer, [assetNum], { licenseType: 'softkey' }),
        newBuy(customer, [assetNum], {}, { products: [uri('c')] }),
      );
      expect(results.map(({ state, assets, products }) => [state, assets, products])).toEqual([
        ['succeeded', 1, 2],
        ['succeeded', 1, 2],
        ['succeeded', 1, 1],
        ['succeeded', 1, 1],
        ['succeeded', 1, 1],
      ]);
      const records = await readRecords(assetNum);
      expect(records.map((each) => [isActive(each), each.license_type])).toEqual([
        [false, 'normal_recover_usbkey'],
        [false, 'softkey'],
        [true, 'normal_recover_usbkey'],
      ]);
      for (const { products, merchandises, grants, ...asset } of records) {
        for (const thing of [...products, ...merchandises, ...grants]) expect(isActive(thing)).toBe(isActive(asset));
      }
    });

    it('a stored asset can be revoked and bought again, which frees its number first', async () => {
      const assetNum = newAssetNum();
      await succeed(newBuy(customer, [assetNum]));
      const results = await process(deleteAsset(customer, [assetNum]), newBuy(customer, [assetNum]));
      expect(results).toMatchObject([{ state: 'succeeded' }, { state: 'succeeded' }]);
      expect((await readRecords(assetNum)).map(isActive)).toEqual([false, true]);
    });

    it('a stored asset can be changed and revoked, and its last state stays on record', async () => {
      const assetNum = newAssetNum();
      await succeed(newBuy(customer, [assetNum], {}, { limitEndDate: 1_800_000_000_005 }));
      await process(
        newBuy(customer, [assetNum], {}, { limitEndDate: 1_800_000_000_009, assetExtendList: [{ extendCode: 'c' }] }),
        deleteAsset(customer, [assetNum]),
      );
      const [record] = await readRecords(assetNum);
      expect(record).toMatchObject({
        limit_end_date: '1800000000009',
        extends: { c: '' },
        grants: [{}, {}],
        products: [{}, {}],
      });
      expect(isActive(record!)).toBe(false);
    });

    it('a stored asset can be transferred and revoked, and stays on record as its last customer’s', async () => {
      const assetNum = newAssetNum();
      await succeed(newBuy(other, [assetNum]));
      await process(newBuy(customer, [assetNum], {}, { transferedAssetNum: true }), deleteAsset(customer, [assetNum]));
      const [record] = await readRecords(assetNum);
      expect(isActive(record!)).toBe(false);
      expect(record).toMatchObject({ customer_id: customer.customerId });
    });

    it('products bought in the same batch can be revoked', async () => {
      const assetNum = newAssetNum();
      const results = await process(
        newBuy(customer, [assetNum], {}, { products: [uri('a'), uri('b')], merchandises: [merchandise()] }),
        deleteProduct(customer, [assetNum], { productUri: 'a' }),
        deleteProduct(customer, [assetNum]),
        deleteProduct(customer, [assetNum]),
      );
      expect(results.map(({ cause, products }) => [cause, products])).toEqual([
        [null, 3],
        [null, 1],
        [null, 1],
        ['product_not_found', 0],
      ]);
      expect(await productsOn(assetNum)).toEqual(['b']);
      expect((await readAsset(assetNum)).products.length).toBe(3);
    });
  });
});
