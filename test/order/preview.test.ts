import type { Customer, OrderPreview } from '@lockstep/contract';
import { lockLanes } from '@lockstep/orders/testing';
import type { Database, Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { refusalOf } from '../harness/api.ts';
import { contentOfTables } from '../harness/databases/tables.ts';
import { ALL_LANES, newCustomersInLanes } from '../harness/orders/lanes.ts';
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
import { syncOf } from '../harness/orders/sync-batches.ts';
import { testStack } from '../harness/stack.ts';

const uri = (productUri: string, changes: Sent = {}) => productToBuy({ productUri, ...changes });

const { stack, api } = await testStack({ worker: false });
const customer = await api.newCustomer();

/** Applies orders as one sync batch. Returns their IDs in the order sent. */
const apply = async (...orders: Sent[]) =>
  (await api.accept(syncOf(...orders))).map(({ licenseOrderId }) => licenseOrderId);

/** Previews orders as one batch and expects that no table changes. */
async function preview(...orders: Sent[]): Promise<OrderPreview[]> {
  const before = await contentOfTables(stack.db);
  const previews = await api.preview(syncOf(...orders));
  expect(await contentOfTables(stack.db)).toEqual(before);
  return previews;
}

/** Previews an order that succeeds, applies it, and expects the previewed effects. */
async function previewAndApply(order: Sent): Promise<OrderPreview> {
  const [planned] = await preview(order);
  const revoked = planned!.products.flatMap(({ action, id }) => (action === 'revoke' ? [id!] : []));
  const before = await revokedProducts(stack.db);
  const batch = syncOf(order);
  await api.accept(batch);
  const { orders } = await api.completed(batch);
  expect(orders[0]).toMatchObject(countsOf(planned!));
  const after = await revokedProducts(stack.db);
  expect([...after.difference(before)].toSorted()).toEqual(revoked.toSorted());
  return planned!;
}

const countsOf = ({ assets, products }: OrderPreview) => ({
  assets: assets.filter(({ action }) => action === 'create' || action === 'revoke').length,
  products: products.length,
});

async function revokedProducts(db: Database): Promise<Set<string>> {
  const rows = await db.selectFrom('product_instance').select('id').where('revoked_time', 'is not', null).execute();
  return new Set(rows.map(({ id }) => id));
}

/** Returns the IDs of all product instances that the number's assets have had, oldest first. */
async function productIdsOn(assetNum: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select product.id from product_instance product join asset on asset.id = asset_id
    where asset_num = ${assetNum} order by product.id`.execute(stack.db);
  return rows.map(({ id }) => id);
}

describe('the preview of an order that would', () => {
  it('create assets lists them, with products that have no ID yet, nested ones included', async () => {
    const assetNums = [newAssetNum(), newAssetNum()];
    const inner = merchandise({ licenseOrderProductList: [uri('c'), uri('d')] });
    const outer = merchandise({ licenseOrderProductList: [uri('b')], children: [inner] });
    const order = newBuy(customer, assetNums, {}, { products: [uri('a')], merchandises: [outer] });
    expect(await previewAndApply(order)).toEqual({
      sequence: order.sequence,
      customerId: customer.customerId,
      orderType: 'new_buy',
      state: 'succeeded',
      cause: null,
      message: null,
      args: null,
      assetNums: [],
      places: [],
      nearest: [],
      assets: assetNums.map((assetNum) => ({ assetNum, action: 'create' })),
      products: assetNums.flatMap((assetNum) =>
        ['a', 'b', 'c', 'd'].map((productUri) => ({ assetNum, productUri, action: 'create', id: null })),
      ),
    });
  });

  it('revoke an asset lists it, with the IDs of all its products', async () => {
    const [assetNum, otherNum] = [newAssetNum(), newAssetNum()];
    const inner = merchandise({ children: [merchandise({ licenseOrderProductList: [uri('c')] })] });
    await apply(newBuy(customer, [assetNum, otherNum], {}, { products: [uri('a')], merchandises: [inner] }));
    await apply(newBuy(customer, [assetNum], {}, { products: [uri('b')] }));
    await apply(deleteProduct(customer, [assetNum], { productUri: 'a' }));
    const [, ...ids] = await productIdsOn(assetNum);
    expect(await previewAndApply(deleteAsset(customer, [assetNum]))).toMatchObject({
      state: 'succeeded',
      assets: [{ assetNum, action: 'revoke' }],
      products: ['gms-100', 'c', 'b'].map((productUri, index) => ({
        assetNum,
        productUri,
        action: 'revoke',
        id: ids[index],
      })),
    });
  });

  it('revoke products lists them, with their IDs, and names no asset', async () => {
    const assetNum = newAssetNum();
    const inside = merchandise({ licenseOrderProductList: [uri('a'), uri('b')] });
    const terms = { limitEndDate: 1_800_000_000_005 };
    await apply(newBuy(customer, [assetNum], {}, { products: [uri('a', terms)], merchandises: [inside] }));
    const [first, second, third] = await productIdsOn(assetNum);
    const strict = { productUri: 'a', ...terms, strictMatchWhenDelete: true };
    const [planned] = await preview(deleteProduct(customer, [assetNum], strict));
    expect(planned).toMatchObject({ assets: [], products: [{ productUri: 'a', action: 'revoke', id: first }] });
    const products = ['b', 'a'].map((productUri) => productToRevoke({ productUri }));
    const mnemonic = deleteProduct(customer, [], {}, { assets: [{ assetNos: [assetNum], products }] });
    expect(await previewAndApply(mnemonic)).toMatchObject({
      assets: [],
      products: [third, first, second].map((id) => ({ assetNum, action: 'revoke', id })),
    });
  });
});

describe('the preview of an order that would fail', () => {
  it('has the cause and the message that the order gets', async () => {
    const other = await api.newCustomer();
    const [assetNum, otherNum, revokedNum, newNum] = [newAssetNum(), newAssetNum(), newAssetNum(), newAssetNum()];
    const [source] = await apply(newBuy(customer, [assetNum]));
    const [others] = await apply(newBuy(other, [otherNum]));
    const [revoked, revocation] = await apply(newBuy(customer, [revokedNum]), deleteAsset(customer, [revokedNum]));
    const { enterpriseGlobalId } = other;
    const expected: [Sent, OrderPreview['cause'], place?: string][] = [
      [newBuy(customer, [newNum], { customerId: '999999999' }), 'customer_not_found', 'customerId'],
      [newBuy(customer, [newNum], { enterpriseGlobalId }), 'enterprise_mismatch', 'enterpriseGlobalId'],
      [newBuy(customer, [newNum], { srcLicenseOrderId: revocation }), 'source_order_not_found'],
      [newBuy(customer, [newNum], { srcLicenseOrderId: '0' }), 'source_order_not_found'],
      [
        newBuy(customer, [newNum], {}, { products: [uri('b'), uri('a', { srcLicenseOrderId: revocation })] }),
        'source_order_not_found',
        'assets[0].products[1].srcLicenseOrderId',
      ],
      [newBuy(customer, [newNum, otherNum]), 'asset_owned_by_other_customer', 'assets[0].assetNos[1]'],
      [newBuy(customer, [assetNum], { licenseType: 'softkey' }), 'license_type_mismatch'],
      // The license type of another customer's asset stays secret.
      [newBuy(customer, [otherNum], { licenseType: 'softkey' }), 'asset_owned_by_other_customer'],
      [deleteAsset(customer, [otherNum], { licenseType: 'softkey' }), 'asset_not_found'],
      [deleteAsset(customer, [assetNum, otherNum]), 'asset_not_found', 'assets[0].assetNos[1]'],
      [deleteAsset(customer, [revokedNum]), 'asset_not_found'],
      [deleteAsset(customer, [assetNum], { licenseType: 'softkey' }), 'license_type_mismatch'],
      [deleteAsset(customer, [assetNum], { srcLicenseOrderId: revoked }), 'asset_not_in_source_order'],
      [deleteProduct(customer, [newNum]), 'asset_not_found'],
      [deleteProduct(customer, [assetNum], {}, { licenseType: 'softkey' }), 'license_type_mismatch'],
      [deleteProduct(customer, [assetNum], { productUri: 'a' }), 'product_not_found', 'assets[0].products[0]'],
      [
        deleteProduct(customer, [assetNum], {}, { srcLicenseOrderId: revoked }),
        'product_not_found',
        'assets[0].products[0]',
      ],
      [deleteAsset(customer, [assetNum], { srcLicenseOrderId: revocation }), 'source_order_not_found'],
      [deleteAsset(customer, [assetNum], { srcLicenseOrderId: others }), 'source_order_not_found'],
      [deleteAsset(customer, [assetNum], { srcLicenseOrderId: `0${source}` }), 'source_order_not_found'],
      [deleteProduct(customer, [assetNum], {}, { srcLicenseOrderId: others }), 'source_order_not_found'],
    ];
    const before = await contentOfTables(stack.db);
    const previews = await api.preview(syncOf(...expected.map(([order]) => order)));
    for (const [index, [order, cause, place]] of expected.entries()) {
      const { sequence, customerId, orderType } = order;
      const planned = previews[index]!;
      const identity = { sequence, customerId, orderType };
      expect(planned).toMatchObject({ ...identity, state: 'failed', cause, assets: [], products: [] });
      const isOfSource = cause === 'source_order_not_found';
      expect(planned.places).toEqual([place ?? (isOfSource ? 'srcLicenseOrderId' : 'assets[0].assetNos[0]')]);
      const [number] = /(?<=assetNos.)\d/.exec(planned.places[0]!) ?? [];
      const [element] = order.assets as { assetNos: string[] }[];
      if (number !== undefined) expect(planned.assetNums).toEqual([element!.assetNos[Number(number)]]);
      const refusal = refusalOf(await api.submit(syncOf(order)));
      expect(refusal.cause).toBe(cause);
      expect(refusal.message).toContain(`orderList[0] (sequence ${sequence}): ${planned.message}`);
      if (cause !== 'product_not_found') expect(planned.nearest).toEqual([]);
    }
    expect(await contentOfTables(stack.db)).toEqual(before);
    expect(await previewAndApply(deleteAsset(customer, [assetNum], { srcLicenseOrderId: source }))).toMatchObject({
      state: 'succeeded',
    });
  });

  it('cannot name an order of its own batch as source', async () => {
    const assetNum = newAssetNum();
    const batch = (srcLicenseOrderId: string) =>
      syncOf(newBuy(customer, [assetNum]), deleteAsset(customer, [assetNum], { srcLicenseOrderId }));
    for (const id of ['preview 0', 'preview', '-1']) {
      expect(refusalOf(await api.submitPreview(batch(id)))).toMatchObject({ cause: 'field_invalid' });
    }
    for (const id of ['0', '1', '9999999999999999999']) {
      const [, revocation] = await api.preview(batch(id));
      expect(revocation).toMatchObject({ state: 'failed', cause: 'source_order_not_found' });
    }
  });
});

describe('the nearest matches of a product that is not found', () => {
  const previewNearest = async (order: Sent) => (await preview(order))[0]!.nearest;

  it('are listed nearest first, each with exactly the fields in which it differs', async () => {
    const assetNum = newAssetNum();
    const bought = [
      uri('b', { limitStartDate: 1, limitEndDate: 1_800_000_000_009, limitConcurrent: 3 }),
      uri('a', { limitConcurrent: 2 }),
      uri('a', { limitStartDate: 1, limitEndDate: 1_800_000_000_009, limitConcurrent: 2 }),
      uri('a', { limitStartDate: 1, limitEndDate: 1_800_000_000_008, limitConcurrent: 2 }),
    ];
    await apply(newBuy(customer, [assetNum], {}, { products: bought }));
    const [other, far, near, between] = await productIdsOn(assetNum);
    const terms = { limitStartDate: 1, limitEndDate: 1_800_000_000_009, limitConcurrent: 3 };
    const wanted = deleteProduct(customer, [assetNum], { productUri: 'a', strictMatchWhenDelete: true, ...terms });
    expect(await previewNearest(wanted)).toEqual([
      { assetNum, productUri: 'a', id: near, differs: ['limitConcurrent'] },
      { assetNum, productUri: 'a', id: between, differs: ['limitEndDate', 'limitConcurrent'] },
      { assetNum, productUri: 'a', id: far, differs: ['limitStartDate', 'limitEndDate', 'limitConcurrent'] },
      { assetNum, productUri: 'b', id: other, differs: ['productUri'] },
    ]);
    // A missing field counts as a value. Mnemonic matching compares only the productUri.
    const open = deleteProduct(customer, [assetNum], { productUri: 'a', strictMatchWhenDelete: true });
    const [nearest] = await previewNearest(open);
    expect(nearest).toEqual({ assetNum, productUri: 'a', id: far, differs: ['limitConcurrent'] });
    const byUri = { assetNum, productUri: 'a', differs: ['productUri'] };
    expect(await previewNearest(deleteProduct(customer, [assetNum], { productUri: 'c', ...terms }))).toEqual([
      { ...byUri, productUri: 'b', id: other },
      ...[far, near, between].map((id) => ({ ...byUri, id })),
    ]);
  });

  it('have no ID if an earlier order in the batch would buy them', async () => {
    const [assetNum, otherNum] = [newAssetNum(), newAssetNum()];
    const [source] = await apply(newBuy(customer, [otherNum]));
    const [, failed] = await preview(
      newBuy(customer, [assetNum]),
      deleteProduct(customer, [assetNum], {}, { srcLicenseOrderId: source }),
    );
    expect(failed!.nearest).toEqual([{ assetNum, productUri: 'gms-100', id: null, differs: ['srcLicenseOrderId'] }]);
    expect(failed!.cause).toBe('product_not_found');
    expect(failed!.message).not.toContain('preview');
  });

  it('are those of the first asset without the product', async () => {
    const [assetNum, otherNum] = [newAssetNum(), newAssetNum()];
    await apply(newBuy(customer, [assetNum], {}, { products: [uri('a')] }));
    await apply(newBuy(customer, [otherNum], {}, { products: [uri('b')] }));
    const [planned] = await preview(deleteProduct(customer, [assetNum, otherNum], { productUri: 'a' }));
    expect(planned!.message).toContain(otherNum);
    expect(planned!.nearest).toMatchObject([{ assetNum: otherNum, productUri: 'b' }]);
  });
});

describe('the preview of a batch', () => {
  it('shows each order the effects of those before it, by sequence, and answers in orderList order', async () => {
    const [first, second] = (await newCustomersInLanes(api, 2)) as [Customer, Customer];
    const assetNum = newAssetNum();
    const transfer = { transferedAssetNum: true, products: [uri('b')] };
    const previews = await preview(
      deleteAsset(second, [assetNum], { sequence: 4 }),
      deleteAsset(first, [assetNum], { sequence: 3 }),
      newBuy(second, [assetNum], { sequence: 2 }, transfer),
      newBuy(first, [assetNum], { sequence: 1 }),
    );
    const product = (productUri: string, action: string) => ({ assetNum, productUri, action, id: null });
    expect(previews).toMatchObject([
      {
        sequence: 4,
        assets: [{ assetNum, action: 'revoke' }],
        products: [product('gms-100', 'revoke'), product('b', 'revoke')],
      },
      { sequence: 3, state: 'failed', cause: 'asset_not_found', assets: [], products: [], nearest: [] },
      { sequence: 2, assets: [{ assetNum, action: 'transfer' }], products: [product('b', 'create')] },
      { sequence: 1, assets: [{ assetNum, action: 'create' }], products: [product('gms-100', 'create')] },
    ]);
  });

  it('does not use up its channelOrderId, and accepts a used one', async () => {
    const [assetNum, otherNum] = [newAssetNum(), newAssetNum()];
    const [one, two] = [syncOf(newBuy(customer, [assetNum])), syncOf(newBuy(customer, [otherNum]))];
    const { channelCode, channelOrderId } = one;
    await api.preview(one);
    const answer = await api.call('GET', '/licenseOrder/batchOrder', { query: { channelCode, channelOrderId } });
    expect(refusalOf(answer)).toMatchObject({ cause: 'batch_not_found' });
    await api.accept({ ...two, channelOrderId });
    expect(await api.preview(one)).toMatchObject([{ assets: [{ assetNum, action: 'create' }] }]);
    expect(await api.preview({ ...two, channelOrderId })).toMatchObject([
      { assets: [{ assetNum: otherNum, action: 'extend' }] },
    ]);
  });

  it('looks at applied orders, and not at pending ones', async () => {
    const customer = await api.newCustomer();
    const assetNum = newAssetNum();
    await api.accept(batchOf(newBuy(customer, [assetNum])));
    expect(await preview(deleteAsset(customer, [assetNum]))).toMatchObject([{ cause: 'asset_not_found' }]);
  });

  it('is refused if O5 refuses the whole call, or for the appKey of another application', async () => {
    const order = newBuy(customer, [newAssetNum()]);
    for (const orderList of [[], [order, order], [deleteAsset(customer, ['8'], { licenseType: 'cloud_account' })]]) {
      const batch = { ...syncOf(), orderList };
      const [refused, previewed] = [refusalOf(await api.submit(batch)), refusalOf(await api.submitPreview(batch))];
      expect(previewed).toEqual(refused);
    }
    const { appKey } = (await stack.newApi()).credentials;
    const answer = await api.submitPreview(syncOf(order), { query: { appKey } });
    expect(refusalOf(answer)).toMatchObject({ code: '13004', cause: 'app_key_mismatch' });
  });
});

describe('a preview does not wait', () => {
  /** Previews orders while a transaction holds locks. If the preview needed the locks, it would wait forever. */
  async function previewWhileHeld(hold: (trx: Trx) => Promise<unknown>, ...orders: Sent[]): Promise<OrderPreview[]> {
    return await stack.db.transaction().execute(async (trx) => {
      await hold(trx);
      return await api.preview(syncOf(...orders));
    });
  }

  async function boughtAsset() {
    const assetNum = newAssetNum();
    await apply(newBuy(customer, [assetNum]));
    return assetNum;
  }

  it('for rows that are locked or changed without a commit', async () => {
    const assetNum = await boughtAsset();
    const newNum = newAssetNum();
    const orders = [newBuy(customer, [assetNum, newNum]), deleteAsset(customer, [assetNum])];
    const [extended, created] = [
      { assetNum, action: 'extend' },
      { assetNum: newNum, action: 'create' },
    ];
    const expected = [
      { assets: [extended, created] },
      { assets: [{ assetNum, action: 'revoke' }], products: [{}, {}] },
    ];
    const forUpdate = async (trx: Trx) => {
      await trx.selectFrom('asset').selectAll().where('asset_num', '=', assetNum).forUpdate().execute();
      await trx.selectFrom('customer').selectAll().where('id', '=', customer.customerId).forUpdate().execute();
    };
    expect(await previewWhileHeld(forUpdate, ...orders)).toMatchObject(expected);
    const { customerId: customer_id } = await api.newCustomer();
    const change = async (trx: Trx) => {
      await sql`
        insert into asset_transfer (asset_id, license_order_id, from_customer_id, to_customer_id)
        select asset.id, license_order_id, asset.customer_id, ${customer_id}::bigint
        from asset join asset_grant on asset_id = asset.id where asset_num = ${assetNum} limit 1`.execute(trx);
      await trx.updateTable('asset').set({ customer_id }).where('asset_num', '=', assetNum).execute();
    };
    expect(await previewWhileHeld(change, ...orders)).toMatchObject(expected);
    expect(await preview(...orders)).toMatchObject([
      { cause: 'asset_owned_by_other_customer' },
      { cause: 'asset_not_found' },
    ]);
  });

  it('for held lanes and a lock on the whole ledger', async () => {
    const assetNum = await boughtAsset();
    const hold = async (trx: Trx) => {
      await lockLanes(trx, ALL_LANES);
      await sql`lock table asset, asset_grant, merchandise_instance, product_instance, license_order, customer, batch,
        lane_chunk in exclusive mode`.execute(trx);
    };
    const orders = [deleteProduct(customer, [assetNum]), deleteAsset(customer, [assetNum])];
    expect(await previewWhileHeld(hold, ...orders)).toMatchObject([
      { state: 'succeeded', products: [{ assetNum, action: 'revoke' }] },
      { state: 'succeeded', assets: [{ assetNum, action: 'revoke' }] },
    ]);
  });

  it('and sees the ledger at one moment while batches take effect', async () => {
    const [assetNum, otherNum] = [newAssetNum(), newAssetNum()];
    const buy = (each: string) => newBuy(customer, [each], {}, { merchandises: [merchandise()] });
    await apply(buy(assetNum));
    // At each moment, one of the two numbers is active, with two products on it.
    let running = true;
    const moving = (async () => {
      for (let turn = 0; turn < 24; turn++) {
        const [from, to] = turn % 2 === 0 ? [assetNum, otherNum] : [otherNum, assetNum];
        await apply(deleteAsset(customer, [from]), buy(to));
      }
      running = false;
    })();
    const seen: OrderPreview[][] = [];
    while (running) {
      const orders = [assetNum, otherNum].map((each) => deleteAsset(customer, [each]));
      seen.push(...(await Promise.all([api.preview(syncOf(...orders)), api.preview(syncOf(...orders))])));
    }
    await moving;
    expect(seen.length).toBeGreaterThan(0);
    for (const previews of seen) {
      expect(previews.map(({ cause }) => cause).toSorted()).toEqual(['asset_not_found', null]);
      expect(previews.map(({ products }) => products.length).toSorted()).toEqual([0, 2]);
    }
  });
});
