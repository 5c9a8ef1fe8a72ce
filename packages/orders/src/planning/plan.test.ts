import {
  type Asset,
  advance,
  emptyChanges,
  heldBy,
  type Ledger,
  type MerchandiseInstance,
  revokerOf,
} from '@lockstep/assets';
import {
  BatchOrder,
  type Cause,
  type Customer,
  type CustomerId,
  type EnterpriseId,
  type LicenseOrderId,
  type Order,
  parse,
} from '@lockstep/contract';
import {
  batchOf,
  deleteAsset,
  deleteProduct,
  merchandise,
  newBuy,
  productToBuy,
  productToRevoke,
  type Sent,
} from '@lockstep/test/harness/orders/orders';
import { describe, expect, it } from 'vitest';
import { LIMITS, type Outcome } from './order.ts';
import { planAll, planOrder } from './plan.ts';

// Examples of each rule. That all rules hold together, test/model compares with a model of its own.

/** Two customers of one enterprise and one of another. */
const ours = customer('11', '1');
const sister = customer('12', '1');
const stranger = customer('21', '2');

function customer(id: string, enterpriseId: string): Customer {
  const [customerId, enterpriseGlobalId] = [id as CustomerId, enterpriseId as EnterpriseId];
  const names = { channelCode: 'test', channelCustomerId: customerId, enterpriseName: `Enterprise ${customerId}` };
  return { customerId, enterpriseGlobalId, isDefault: true, contact: null, ...names };
}

function newLedger(): Ledger {
  return {
    customers: new Map(
      [ours, sister, stranger].map(({ customerId, enterpriseGlobalId, channelCode }) => {
        return [customerId, { enterpriseId: enterpriseGlobalId, channelCode, contact: null }];
      }),
    ),
    customerOfPurchase: new Map(),
    assets: new Map(),
    changes: emptyChanges(),
  };
}

/** An order as it is stored when its batch is accepted: parsed by the contract's schema. */
function accepted(sent: Sent, id = 900) {
  const order: Order = parse(BatchOrder, batchOf(sent)).orderList[0]!;
  return { licenseOrderId: String(id) as LicenseOrderId, order, channels: null };
}

/** Plans orders one after the other; the first has the id `firstId`, the next one the following number. */
function planFrom(ledger: Ledger, firstId: number, ...sent: Sent[]): Outcome[] {
  return planAll(
    ledger,
    sent.map((order, index) => accepted(order, firstId + index)),
  );
}

/** A ledger in which these orders, numbered from 101, have all succeeded. */
function ledgerAfter(...sent: Sent[]): Ledger {
  const ledger = newLedger();
  expect(planFrom(ledger, 101, ...sent).map(({ failure }) => failure)).toEqual(sent.map(() => null));
  return ledger;
}

/** Plans one more order, numbered 900, which must succeed. */
function succeed(ledger: Ledger, sent: Sent): { assets: number; products: number } {
  const { failure, assets, products } = planFrom(ledger, 900, sent)[0]!;
  expect(failure).toBeNull();
  return { assets, products };
}

/** Plans one more order, numbered 900, which must fail and leave the ledger unchanged. Returns the cause. */
function causeOf(ledger: Ledger, sent: Sent): Cause | undefined {
  const before = structuredClone(ledger);
  const { failure, assets, products } = planFrom(ledger, 900, sent)[0]!;
  expect(failure).not.toBeNull();
  expect({ assets, products }).toEqual({ assets: 0, products: 0 });
  expect(ledger).toEqual(before);
  return failure?.cause;
}

function assetOf(ledger: Ledger, assetNum: string): Asset {
  const asset = ledger.assets.get(assetNum);
  if (asset === undefined) throw new Error(`${assetNum} is not active`);
  return asset;
}

/** The active products of an asset with the orders that hold them, `productUri@heldBy`, oldest first. */
function productsOn(ledger: Ledger, assetNum: string): string[] {
  const active = assetOf(ledger, assetNum).products.filter((each) => revokerOf(each) === null);
  return active.map((product) => `${product.productUri}@${heldBy(product)}`);
}

function boughtOnto(ledger: Ledger, asset: Asset): MerchandiseInstance[] {
  return ledger.changes.newMerchandises.flatMap((effect) => (effect.asset === asset ? [effect.merchandise] : []));
}

function merchandisesOn(ledger: Ledger, assetNum: string): string[] {
  const active = boughtOnto(ledger, assetOf(ledger, assetNum)).filter((each) => revokerOf(each) === null);
  return active.map((each) => `${each.bought?.merchandiseNum}@${heldBy(each)}`);
}

function grantsOn(ledger: Ledger, assetNum: string): string[] {
  const active = assetOf(ledger, assetNum).grants.filter(({ revokedBy }) => revokedBy === null);
  return active.map(({ licenseOrderId }) => licenseOrderId);
}

const uri = (productUri: string) => productToBuy({ productUri });
const productsOf = (...uris: string[]) => ({ products: uris.map(uri) });
const END = 1_800_000_000_000;

/** Buys X1 with these fields of its element. */
const buyWith = (owner: Customer, element: Sent) => newBuy(owner, ['X1'], {}, element);

describe('every order', () => {
  const orders: [string, (customer: Customer, changes: Sent) => Sent][] = [
    ['new_buy', (customer, changes) => newBuy(customer, ['X1'], changes)],
    ['delete_asset', (customer, changes) => deleteAsset(customer, ['X1'], changes)],
    ['delete_product', (customer, changes) => deleteProduct(customer, ['X1'], {}, changes)],
  ];

  it.each(orders)('%s fails for a customer who does not exist', (_, order) => {
    expect(causeOf(ledgerAfter(newBuy(ours, ['X1'])), order(customer('99', '1'), {}))).toBe('customer_not_found');
  });

  it.each(orders)('%s fails for an enterprise that is not the customer’s', (_, order) => {
    const ledger = ledgerAfter(newBuy(ours, ['X1']));
    expect(causeOf(ledger, order(ours, { enterpriseGlobalId: '2' }))).toBe('enterprise_mismatch');
    expect(causeOf(ledger, order(ours, { enterpriseGlobalId: '01' }))).toBe('enterprise_mismatch');
  });

  it.each(orders)(
    '%s accepts only a succeeded new_buy as source order; a revocation only one of the customer',
    (type, order) => {
      const ledger = ledgerAfter(newBuy(ours, ['X1']), newBuy(ours, ['X2']), deleteAsset(ours, ['X2']));
      planFrom(ledger, 200, newBuy(sister, ['X3']), newBuy(sister, ['X1']));
      const ofSister = order(ours, { srcLicenseOrderId: '200' });
      if (type === 'new_buy') succeed(ledger, ofSister);
      else expect(causeOf(ledger, ofSister)).toBe('source_order_not_found');
      for (const srcLicenseOrderId of Object.values({
        unknown: '555',
        'a revocation': '103',
        failed: '201',
        zeros: '0101',
      })) {
        expect(causeOf(ledger, order(ours, { srcLicenseOrderId }))).toBe('source_order_not_found');
      }
      succeed(ledger, order(ours, { srcLicenseOrderId: '101' }));
    },
  );

  it.each(orders)('%s fails if the asset has another license type, but does not reveal a stranger’s', (type, order) => {
    const softkey = { licenseType: 'softkey' };
    expect(causeOf(ledgerAfter(newBuy(ours, ['X1'])), order(ours, softkey))).toBe('license_type_mismatch');
    const ofStranger = type === 'new_buy' ? 'asset_owned_by_other_customer' : 'asset_not_found';
    expect(causeOf(ledgerAfter(newBuy(stranger, ['X1'])), order(ours, softkey))).toBe(ofStranger);
  });

  it.each(orders)('%s ignores an empty source order', (_, order) => {
    succeed(ledgerAfter(newBuy(ours, ['X1'])), order(ours, { srcLicenseOrderId: '' }));
  });
});

describe('new_buy', () => {
  it('creates an active asset of the customer for each number, with the products', () => {
    const ledger = newLedger();
    const product = { productUri: 'a', limitStartDate: 1, limitEndDate: END + 2, limitConcurrent: 3 };
    const element = { limitStartDate: 5, limitEndDate: END + 9, borrowedUsbKey: true };
    const assetExtendList = [{ extendCode: 'gxxp', extendValue: '1' }];
    const sent = { ...element, assetExtendList, products: [productToBuy(product)] };
    expect(succeed(ledger, newBuy(ours, ['X1', 'X2'], {}, sent))).toEqual({ assets: 2, products: 2 });
    for (const assetNum of ['X1', 'X2']) {
      expect(assetOf(ledger, assetNum)).toMatchObject({
        ...element,
        assetNum,
        customerId: '11',
        licenseType: 'normal_recover_usbkey',
        extends: { gxxp: '1' },
        grants: [{ licenseOrderId: '900' }],
        products: [{ ...product, licenseOrderId: '900' }],
      });
    }
    expect([...ledger.changes.newAssets].map(({ assetNum }) => assetNum)).toEqual(['X1', 'X2']);
  });

  it('creates an asset with no period, no extend codes and no borrowed lock if none are sent', () => {
    expect(assetOf(ledgerAfter(newBuy(ours, ['X1'])), 'X1')).toMatchObject({
      limitStartDate: null,
      limitEndDate: null,
      borrowedUsbKey: false,
      extends: {},
      products: [{ limitStartDate: null, limitEndDate: null }],
    });
  });

  it('accepts zero as a time', () => {
    const zeros = { limitStartDate: 0, limitEndDate: END };
    const element = { ...zeros, products: [productToBuy(zeros)] };
    expect(assetOf(ledgerAfter(buyWith(ours, element)), 'X1')).toMatchObject({
      ...zeros,
      products: [zeros],
    });
  });

  it('adds to an asset that the customer already has', () => {
    const ledger = ledgerAfter(buyWith(ours, productsOf('a')));
    expect(succeed(ledger, buyWith(ours, productsOf('a', 'b')))).toEqual({
      assets: 0,
      products: 2,
    });
    expect(productsOn(ledger, 'X1')).toEqual(['a@101', 'a@900', 'b@900']);
    expect(grantsOn(ledger, 'X1')).toEqual(['101', '900']);
    expect(ledger.changes.newAssets.size).toBe(1);
  });

  it('adds and replaces extend codes on an existing asset', () => {
    const codes = (...list: Sent[]) => ({ assetExtendList: list });
    const ledger = ledgerAfter(
      buyWith(ours, codes({ extendCode: 'keep', extendValue: '1' }, { extendCode: 'old', extendValue: '1' })),
    );
    succeed(ledger, buyWith(ours, codes({ extendCode: 'old', extendValue: '2' }, { extendCode: 'new' })));
    expect(assetOf(ledger, 'X1').extends).toEqual({ keep: '1', old: '2', new: '' });
    succeed(ledger, newBuy(ours, ['X1']));
    expect(assetOf(ledger, 'X1').extends).toEqual({ keep: '1', old: '2', new: '' });
  });

  it('fails if one or more elements and orders give an asset too many extended attributes', () => {
    const within = { ...LIMITS, codesOnAsset: 2 };
    const element = (...codes: string[]) => ({
      assetNos: ['X1'],
      products: [uri('a')],
      assetExtendList: codes.map((extendCode) => ({ extendCode })),
    });
    const order = (...elements: Sent[]) => newBuy(ours, [], { assets: elements });
    const causeWithin = (ledger: Ledger, sent: Sent) => {
      const [outcome] = planAll(ledger, [accepted(sent)], within);
      return outcome!.failure?.cause ?? null;
    };
    expect(causeWithin(newLedger(), order(element('a', 'b', 'c')))).toBe('asset_full');
    expect(causeWithin(newLedger(), order(element('a'), element('b', 'a'), element('c')))).toBe('asset_full');
    const ledger = ledgerAfter(order(element('a')));
    expect(causeWithin(ledger, order(element('b'), element('a', 'c')))).toBe('asset_full');
    expect(causeWithin(ledger, order(element('b'), element('a', 'b')))).toBeNull();
    expect(Object.keys(assetOf(ledger, 'X1').extends)).toEqual(['a', 'b']);
    expect(causeWithin(ledger, order(element('c')))).toBe('asset_full');
    expect(causeWithin(ledger, order(element('b')))).toBeNull();
  });

  it('accepts any extend code', () => {
    const ledger = ledgerAfter(newBuy(ours, ['X1']));
    const assetExtendList = [{ extendCode: '__proto__', extendValue: '1' }, { extendCode: 'toString' }];
    succeed(ledger, buyWith(ours, { assetExtendList }));
    expect(Object.entries(assetOf(ledger, 'X1').extends)).toEqual([
      ['__proto__', '1'],
      ['toString', ''],
    ]);
  });

  const period = { limitStartDate: 5, limitEndDate: END + 9, borrowedUsbKey: true };
  it.each<[string, Sent, Sent]>([
    ['nothing if nothing is sent', {}, {}],
    ['the start alone', { limitStartDate: 0 }, { limitStartDate: 0 }],
    ['the end alone', { limitEndDate: END + 7 }, { limitEndDate: END + 7 }],
    ['the flag alone', { borrowedUsbKey: false }, { borrowedUsbKey: false }],
    ['nothing for null', { limitEndDate: null }, {}],
  ])('replaces, on an existing asset, %s', (_, sent, replaced) => {
    const ledger = ledgerAfter(buyWith(ours, period));
    succeed(ledger, buyWith(ours, sent));
    expect(assetOf(ledger, 'X1')).toMatchObject({ ...period, ...replaced });
  });

  it('transfers an asset with its contents', () => {
    const ledger = ledgerAfter(
      buyWith(stranger, { limitEndDate: END + 9, assetExtendList: [{ extendCode: 'c', extendValue: '1' }] }),
      buyWith(stranger, { products: [], merchandises: [merchandise()] }),
    );
    const asset = assetOf(ledger, 'X1');
    const transfer = { transferedAssetNum: true, borrowedUsbKey: true, products: [uri('new')] };
    expect(succeed(ledger, buyWith(ours, transfer))).toEqual({ assets: 0, products: 1 });
    expect(assetOf(ledger, 'X1')).toBe(asset);
    expect(asset).toMatchObject({
      customerId: '11',
      limitEndDate: END + 9,
      borrowedUsbKey: true,
      extends: { c: '1' },
    });
    expect(productsOn(ledger, 'X1')).toEqual(['gms-100@900', 'gms-100@900', 'new@900']);
    expect(merchandisesOn(ledger, 'X1')).toEqual(['M-1@900']);
    expect(grantsOn(ledger, 'X1')).toEqual(['900']);
    expect(asset.products.map(({ licenseOrderId }) => licenseOrderId)).toEqual(['101', '102', '900']);
    expect(ledger.changes.transfers).toEqual([
      { asset, licenseOrderId: '900', fromCustomerId: '21', toCustomerId: '11' },
    ]);
    expect([...ledger.changes.releasedAssets.keys()]).toEqual([asset]);
    expect([...ledger.changes.changedAssets]).toContain(asset);
  });

  it('transfers an asset without buying anything onto it', () => {
    const ledger = ledgerAfter(newBuy(stranger, ['X1']));
    const transfer = { transferedAssetNum: true, products: undefined };
    expect(succeed(ledger, buyWith(ours, transfer))).toEqual({ assets: 0, products: 0 });
    expect(productsOn(ledger, 'X1')).toEqual(['gms-100@900']);
  });

  it('transfers an asset repeatedly without reading its contents', () => {
    const ledger = ledgerAfter(newBuy(ours, ['X1']), buyWith(ours, { merchandises: [merchandise()] }));
    const { products } = assetOf(ledger, 'X1');
    // An asset may hold ten thousand, and each order of a batch may transfer it.
    Object.defineProperty(products, Symbol.iterator, { configurable: true, value: () => expect.unreachable() });
    const transfer = { transferedAssetNum: true, products: undefined };
    const owners = [stranger, sister, ours, sister];
    planFrom(ledger, 900, ...owners.map((owner) => buyWith(owner, transfer)));
    Reflect.deleteProperty(products, Symbol.iterator);
    expect(productsOn(ledger, 'X1')).toEqual(['gms-100@903', 'gms-100@903', 'gms-100@903']);
    expect(merchandisesOn(ledger, 'X1')).toEqual(['M-1@903']);
    succeed(ledger, buyWith(sister, productsOf('later')));
    expect(productsOn(ledger, 'X1').slice(-1)).toEqual(['later@900']);
  });

  it('leaves a transferred asset to its new customer only', () => {
    const ledger = ledgerAfter(newBuy(stranger, ['X1']), buyWith(ours, { transferedAssetNum: true }));
    expect(causeOf(ledger, newBuy(stranger, ['X1']))).toBe('asset_owned_by_other_customer');
    expect(causeOf(ledger, deleteAsset(stranger, ['X1']))).toBe('asset_not_found');
    expect(causeOf(ledger, deleteProduct(stranger, ['X1']))).toBe('asset_not_found');
    // Not even by the old customer's orders: the transferring order holds them now.
    expect(causeOf(ledger, deleteAsset(ours, ['X1'], { srcLicenseOrderId: '101' }))).toBe('source_order_not_found');
    expect(succeed(ledger, deleteAsset(ours, ['X1']))).toEqual({ assets: 1, products: 2 });
  });

  it('stores merchandise nested as sent, with its products', () => {
    const child = (merchandiseNum: string, changes: Sent = {}) =>
      merchandise({ merchandiseNum, licenseOrderProductList: [uri(`in ${merchandiseNum}`)], ...changes });
    const tree = [child('a', { children: [child('b', { children: [child('c')] }), child('d')] }), child('e')];
    const ledger = newLedger();
    const element = { products: [uri('outside')], merchandises: tree };
    expect(succeed(ledger, buyWith(ours, element))).toEqual({ assets: 1, products: 6 });
    const { products } = assetOf(ledger, 'X1');
    const merchandises = boughtOnto(ledger, assetOf(ledger, 'X1'));
    expect(merchandises.map((each) => [each.bought?.merchandiseNum, each.parent?.bought?.merchandiseNum])).toEqual([
      ['a', undefined],
      ['b', 'a'],
      ['c', 'b'],
      ['d', 'a'],
      ['e', undefined],
    ]);
    expect(products.map((each) => [each.productUri, each.merchandise?.bought?.merchandiseNum])).toEqual([
      ['outside', undefined],
      ...['a', 'b', 'c', 'd', 'e'].map((num) => [`in ${num}`, num]),
    ]);
  });

  it('accepts a succeeded new_buy of any customer as a product’s source order', () => {
    const bought = (srcLicenseOrderId: string) => [productToBuy({ srcLicenseOrderId })];
    const ledger = ledgerAfter(newBuy(stranger, ['X1']), deleteAsset(stranger, ['X1']));
    succeed(ledger, newBuy(ours, ['X2'], {}, { products: bought('101') }));
    expect(assetOf(ledger, 'X2').products[0]?.bought?.srcLicenseOrderId).toBe('101');
    for (const source of ['102', '555']) {
      expect(causeOf(ledger, newBuy(ours, ['X3'], {}, { products: bought(source) }))).toBe('source_order_not_found');
      const inside = merchandise({ children: [merchandise({ licenseOrderProductList: bought(source) })] });
      const order = newBuy(ours, ['X3'], {}, { merchandises: [inside] });
      expect(causeOf(ledger, order)).toBe('source_order_not_found');
    }
  });

  it('adds to its own asset if a number appears in two elements', () => {
    const ledger = newLedger();
    const assets = [
      { assetNos: ['X1', 'X2'], limitEndDate: END + 5, products: [uri('a')] },
      {
        assetNos: ['X1'],
        limitEndDate: END + 6,
        assetExtendList: [{ extendCode: 'c' }],
        products: [uri('b')],
      },
    ];
    expect(succeed(ledger, newBuy(ours, [], { assets }))).toEqual({ assets: 2, products: 3 });
    expect(productsOn(ledger, 'X1')).toEqual(['a@900', 'b@900']);
    expect(assetOf(ledger, 'X1')).toMatchObject({ limitEndDate: END + 6, extends: { c: '' }, grants: [{}] });
    expect(assetOf(ledger, 'X2')).toMatchObject({ limitEndDate: END + 5, extends: {} });
    expect(ledger.changes.newGrants.length).toBe(2);
  });

  it('buys a revoked number as a new asset, for any customer and license type', () => {
    const ledger = ledgerAfter(newBuy(ours, ['X1']));
    const first = assetOf(ledger, 'X1');
    succeed(ledger, deleteAsset(ours, ['X1']));
    const again = newBuy(stranger, ['X1'], { licenseType: 'softkey' }, productsOf('b'));
    expect(succeed(ledger, again)).toEqual({ assets: 1, products: 1 });
    const second = assetOf(ledger, 'X1');
    expect(second).not.toBe(first);
    expect(second).toMatchObject({ customerId: '21', licenseType: 'softkey', products: [{ productUri: 'b' }] });
    expect(first).toMatchObject({ customerId: '11', revokedBy: '900' });
    expect(first.products.map(revokerOf)).toEqual(['900']);
  });
});

describe('new_buy that replaces the period of an asset', () => {
  const from = (start: number) => ({ limitStartDate: END + start });
  const until = (end: number) => ({ limitEndDate: END + end });
  const elements = (...changes: Sent[]) => changes.map((each) => ({ assetNos: ['X1'], products: [uri('a')], ...each }));

  it('fails if the start would be after the end', () => {
    const ledger = ledgerAfter(buyWith(ours, { ...from(3), ...until(5) }));
    expect(causeOf(ledger, buyWith(ours, from(6)))).toBe('dates_reversed');
    expect(causeOf(ledger, buyWith(ours, until(2)))).toBe('dates_reversed');
    expect(causeOf(ledger, buyWith(stranger, { transferedAssetNum: true, ...until(2) }))).toBe('dates_reversed');
    succeed(ledger, buyWith(ours, from(5)));
  });

  it('fails if two elements of one order reverse it, on a new or existing asset', () => {
    const order = newBuy(ours, [], { assets: elements(from(6), until(5)) });
    expect(causeOf(newLedger(), order)).toBe('dates_reversed');
    expect(causeOf(ledgerAfter(newBuy(ours, ['X1'])), order)).toBe('dates_reversed');
  });

  it('checks the period only if it changes it: an existing one may be reversed', () => {
    const ledger = ledgerAfter(buyWith(ours, from(6)));
    assetOf(ledger, 'X1').limitEndDate = END + 5;
    succeed(ledger, newBuy(ours, ['X1']));
  });
});

describe('new_buy of assets that hold much', () => {
  /** X1 holds three products and merchandise and has two grants, X2 has a product and a grant. */
  const bought = () =>
    ledgerAfter(newBuy(ours, ['X1', 'X2']), buyWith(ours, { products: [], merchandises: [merchandise()] }));
  const planWithin = (counted: number, order: Sent) => () =>
    planOrder(bought(), accepted(order), { ...LIMITS, counted });
  const element = { assetNos: ['X1'], products: [uri('a')] };
  const limit = { name: 'Refusal', reason: 'order_too_large' };

  it.each<[string, number, Sent]>([
    ['one asset', 5, newBuy(ours, ['X1'])],
    ['several', 7, newBuy(ours, ['X1', 'X2'])],
    ['an asset that it names twice', 5, newBuy(ours, [], { assets: [element, element] })],
    ['an asset that it transfers', 5, buyWith(sister, { transferedAssetNum: true })],
  ])('counts what they hold before it, once: %s', (_, held, order) => {
    expect(planWithin(held, order)).not.toThrow();
    expect(planWithin(held - 1, order)).toThrow(expect.objectContaining(limit));
  });

  it('counts nothing on new assets', () => {
    expect(planWithin(0, newBuy(ours, ['X8', 'X9']))).not.toThrow();
  });

  it('refuses before it reaches an asset that was not counted', () => {
    const ledger = bought();
    assetOf(ledger, 'X2').active = null;
    const order = accepted(newBuy(ours, ['X1', 'X2']));
    expect(() => planOrder(ledger, order, { ...LIMITS, counted: 4 })).toThrow(expect.objectContaining(limit));
  });
});

describe('delete_asset', () => {
  it('revokes the asset and its contents', () => {
    const ledger = ledgerAfter(
      newBuy(ours, ['X1', 'X2'], {}, productsOf('a', 'b')),
      buyWith(ours, { products: [], merchandises: [merchandise({ children: [merchandise()] })] }),
    );
    const asset = assetOf(ledger, 'X1');
    expect(succeed(ledger, deleteAsset(ours, ['X1']))).toEqual({ assets: 1, products: 4 });
    expect(ledger.assets.has('X1')).toBe(false);
    expect(asset.revokedBy).toBe('900');
    for (const thing of [...asset.products, ...boughtOnto(ledger, asset)]) expect(revokerOf(thing)).toBe('900');
    for (const grant of asset.grants) expect(grant.revokedBy).toBe('900');
    expect(asset.active).toEqual({ grants: 0, contents: 0 });
    expect([...ledger.changes.releasedAssets.keys()]).toEqual([asset]);
    expect(productsOn(ledger, 'X2')).toEqual(['a@101', 'b@101']);
  });

  describe('with a source order', () => {
    /** X1 has grants of 101 and 102, X2 of 102 alone; 103 went elsewhere. */
    const shared = () =>
      ledgerAfter(
        buyWith(ours, { products: [uri('a')], merchandises: [merchandise({ merchandiseNum: 'm' })] }),
        newBuy(ours, ['X1', 'X2'], {}, { products: [uri('b')], merchandises: [merchandise({ merchandiseNum: 'n' })] }),
        newBuy(ours, ['X3']),
      );
    const from = (srcLicenseOrderId: string, ...assetNos: string[]) =>
      deleteAsset(ours, assetNos, { srcLicenseOrderId });

    it('revokes what that order granted, including merchandises and their products', () => {
      const ledger = shared();
      expect(succeed(ledger, from('101', 'X1'))).toEqual({ assets: 0, products: 2 });
      expect(productsOn(ledger, 'X1')).toEqual(['b@102', 'gms-100@102']);
      expect(merchandisesOn(ledger, 'X1')).toEqual(['n@102']);
      expect(grantsOn(ledger, 'X1')).toEqual(['102']);
      expect(ledger.changes.releasedAssets.size).toBe(0);
    });

    it('revokes the asset with its last grant', () => {
      const ledger = shared();
      expect(succeed(ledger, from('102', 'X1', 'X2'))).toEqual({ assets: 1, products: 4 });
      expect([...ledger.assets.keys()]).toEqual(['X1', 'X3']);
      expect(succeed(ledger, from('101', 'X1'))).toEqual({ assets: 1, products: 2 });
      expect([...ledger.assets.keys()]).toEqual(['X3']);
    });

    it('treats the order that transferred an asset as the source of its contents', () => {
      const ledger = ledgerAfter(
        buyWith(stranger, { merchandises: [merchandise()] }),
        buyWith(ours, { transferedAssetNum: true }),
        buyWith(ours, productsOf('later')),
      );
      expect(succeed(ledger, from('102', 'X1'))).toEqual({ assets: 0, products: 3 });
      expect(productsOn(ledger, 'X1')).toEqual(['later@103']);
      expect(merchandisesOn(ledger, 'X1')).toEqual([]);
    });
  });
});

describe('delete_product', () => {
  it('revokes every active product with that productUri, including those in merchandises, and keeps the asset', () => {
    const ledger = ledgerAfter(
      newBuy(ours, ['X1', 'X2'], {}, productsOf('a', 'b')),
      buyWith(ours, productsOf('a')),
      buyWith(ours, { merchandises: [merchandise({ licenseOrderProductList: [uri('a'), uri('c')] })] }),
    );
    expect(succeed(ledger, deleteProduct(ours, ['X1'], { productUri: 'a' }))).toEqual({ assets: 0, products: 3 });
    expect(productsOn(ledger, 'X1')).toEqual(['b@101', 'gms-100@103', 'c@103']);
    expect(productsOn(ledger, 'X2')).toEqual(['a@101', 'b@101']);
    expect(merchandisesOn(ledger, 'X1')).toEqual(['M-1@103']);
    expect(grantsOn(ledger, 'X1')).toEqual(['101', '102', '103']);
    expect(ledger.changes.revokedAssets.size).toBe(0);
  });

  it('revokes, with a source order, only what that order bought', () => {
    const ledger = ledgerAfter(newBuy(ours, ['X1']), newBuy(ours, ['X1']), newBuy(ours, ['X2']));
    const from = (srcLicenseOrderId: string) => deleteProduct(ours, ['X1'], {}, { srcLicenseOrderId });
    expect(causeOf(ledger, from('103'))).toBe('product_not_found');
    expect(succeed(ledger, from('101'))).toEqual({ assets: 0, products: 1 });
    expect(productsOn(ledger, 'X1')).toEqual(['gms-100@102']);
    expect(causeOf(ledger, from('101'))).toBe('product_not_found');
  });

  const element = { assetNos: ['X1'], products: [productToRevoke()] };
  it.each([
    ['one element', [{ assetNos: ['X1'], products: [productToRevoke(), productToRevoke()] }]],
    ['two elements', [element, element]],
  ])('matches against what was active before the order, and revokes a product named twice once: in %s', (_, assets) => {
    const ledger = ledgerAfter(newBuy(ours, ['X1']));
    expect(succeed(ledger, deleteProduct(ours, [], {}, { assets }))).toEqual({ assets: 0, products: 1 });
    expect(causeOf(ledger, deleteProduct(ours, [], {}, { assets }))).toBe('product_not_found');
  });

  it('counts grants and products once, even if several elements name their asset', () => {
    const ledger = ledgerAfter(newBuy(ours, ['X1']), newBuy(ours, ['X1']));
    const order = accepted(deleteProduct(ours, [], {}, { assets: [element, element] }));
    expect(planOrder(ledger, order, { ...LIMITS, ofOrder: 2 }).touched).toBe(2);
  });

  it('looks for a product that an order names repeatedly once', () => {
    const looksFor = (times: number): number => {
      const ledger = ledgerAfter(newBuy(ours, ['X1']));
      const [product] = assetOf(ledger, 'X1').products;
      const { grant } = product!;
      let looks = 0;
      const get = () => {
        looks++;
        return grant;
      };
      Object.defineProperty(product, 'grant', { get });
      const products = Array.from({ length: times }, () => productToRevoke());
      const assets = Array(2).fill({ assetNos: ['X1'], products });
      planOrder(ledger, accepted(deleteProduct(ours, [], {}, { assets })));
      return looks;
    };
    expect(looksFor(1_000)).toBe(looksFor(1));
  });

  it('revokes a merchandise with the last product or merchandise in it, and no other', () => {
    const inside = (merchandiseNum: string, productUri: string, children: Sent[] = []) =>
      merchandise({ merchandiseNum, licenseOrderProductList: [uri(productUri)], children });
    const empty = merchandise({ merchandiseNum: 'empty', licenseOrderProductList: [] });
    const packages = [inside('outer', 'a', [inside('inner', 'b')]), inside('with empty', 'b', [empty])];
    const ledger = ledgerAfter(buyWith(ours, { products: [], merchandises: packages }));
    const deleted = (productUri: string) => succeed(ledger, deleteProduct(ours, ['X1'], { productUri }));
    expect(deleted('b')).toEqual({ assets: 0, products: 2 });
    expect(merchandisesOn(ledger, 'X1')).toEqual(['outer@101', 'with empty@101', 'empty@101']);
    expect(deleted('a')).toEqual({ assets: 0, products: 1 });
    expect(merchandisesOn(ledger, 'X1')).toEqual(['with empty@101', 'empty@101']);
  });

  it('names the product that has no match, in the order sent', () => {
    const products = ['a', 'b', 'c'].map((productUri) => productToRevoke({ productUri }));
    const order = deleteProduct(ours, [], {}, { assets: [{ assetNos: ['X1'], products }] });
    const [outcome] = planFrom(ledgerAfter(buyWith(ours, productsOf('a'))), 900, order);
    expect(outcome?.failure?.cause).toBe('product_not_found');
    expect(outcome?.failure?.args).toEqual(['X1', 'b', expect.stringContaining('productUri a')]);
  });
});

it('a bug does not become an outcome', () => {
  const ledger = { ...newLedger(), assets: undefined as unknown as Ledger['assets'] };
  expect(() => planFrom(ledger, 101, newBuy(ours, ['X1']))).toThrow(TypeError);
});

describe('planOrder', () => {
  const planSent = (ledger: Ledger, sent: Sent) => planOrder(ledger, accepted(sent));

  it.each<[string, Sent]>([
    ['new_buy', newBuy(ours, ['X1', 'X2'], {}, { limitEndDate: END + 4, merchandises: [merchandise()] })],
    ['a transfer', buyWith(sister, { transferedAssetNum: true })],
    ['delete_asset', deleteAsset(ours, ['X1'])],
    ['delete_product', deleteProduct(ours, ['X1'])],
  ])('does not change the ledger: %s', (_, sent) => {
    const ledger = ledgerAfter(buyWith(ours, { merchandises: [merchandise()] }));
    const before = structuredClone(ledger);
    const effects = planSent(ledger, sent);
    expect(ledger).toEqual(before);
    advance(ledger, '900' as LicenseOrderId, effects);
    expect(ledger).not.toEqual(before);
  });

  it('lists what happens to each asset', () => {
    const actionsOf = (ledger: Ledger, sent: Sent) =>
      planSent(ledger, sent).assets.map(({ action, asset }) => `${action} ${asset.assetNum}`);
    const ledger = ledgerAfter(newBuy(ours, ['X1']), newBuy(stranger, ['X2']));
    const assets = [
      { assetNos: ['X1', 'X2'], transferedAssetNum: true },
      { assetNos: ['X3'], products: [uri('a')] },
    ];
    const buy = newBuy(ours, [], { assets });
    expect(actionsOf(ledger, buy)).toEqual(['extend X1', 'transfer X2', 'create X3']);
    expect(actionsOf(ledger, deleteAsset(ours, ['X1']))).toEqual(['revoke X1']);
    expect(actionsOf(ledger, deleteProduct(ours, ['X1']))).toEqual([]);
  });
});
