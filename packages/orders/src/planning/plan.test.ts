import { type Asset, advance, emptyChanges, heldBy, type Ledger, revokerOf } from '@lockstep/assets';
import {
  BatchOrder,
  type CustomerId,
  type EnterpriseId,
  findConcerned,
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
import { LIMITS, type Outcome, pathOf } from './order.ts';
import { planAll, planOrder } from './plan.ts';

// What test/model, which compares random orders with a model of its own, seldom or never reaches, and examples of what
// revocations leave. For examples of the other rules, see test/order/rules.test.ts and preview.test.ts.

/** Two customers of one enterprise and one of another. */
const ours = customer('11', '1');
const sister = customer('12', '1');
const stranger = customer('21', '2');

function customer(customerId: string, enterpriseGlobalId: string) {
  return { customerId, enterpriseGlobalId, channelCustomerId: customerId };
}
type OneCustomer = typeof ours;

function newLedger(): Ledger {
  const customers = [ours, sister, stranger].map(({ customerId, enterpriseGlobalId }) => {
    const enterpriseId = enterpriseGlobalId as EnterpriseId;
    return [customerId as CustomerId, { enterpriseId, channelCode: 'test', contact: null }] as const;
  });
  return { customers: new Map(customers), customerOfPurchase: new Map(), assets: new Map(), changes: emptyChanges() };
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

function merchandisesOn(ledger: Ledger, assetNum: string): string[] {
  const bought = ledger.changes.newMerchandises.filter(({ asset }) => asset === assetOf(ledger, assetNum));
  const active = bought.map(({ merchandise }) => merchandise).filter((each) => revokerOf(each) === null);
  return active.map((each) => `${each.bought?.merchandiseNum}@${heldBy(each)}`);
}

const uri = (productUri: string) => productToBuy({ productUri });
const productsOf = (...uris: string[]) => ({ products: uris.map(uri) });
const END = 1_800_000_000_000;
const TOO_LARGE = expect.objectContaining({ name: 'Refusal', reason: 'order_too_large' });

/** Buys X1 with these fields of its element. */
const buyWith = (owner: OneCustomer, element: Sent) => newBuy(owner, ['X1'], {}, element);

describe('new_buy', () => {
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
    expect(assetOf(ledger, 'X1').codeCount).toBe(2);
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

  it('checks the period only if it changes it: an existing one may be reversed', () => {
    const ledger = ledgerAfter(buyWith(ours, { limitStartDate: END + 6 }));
    assetOf(ledger, 'X1').limitEndDate = END + 5;
    succeed(ledger, newBuy(ours, ['X1']));
  });

  it('is too large before it reaches an asset that was not counted', () => {
    const ledger = ledgerAfter(newBuy(ours, ['X1', 'X2']));
    assetOf(ledger, 'X2').active = null;
    const order = accepted(newBuy(ours, ['X1', 'X2']));
    expect(() => planOrder(ledger, order, { ...LIMITS, counted: 1 })).toThrow(TOO_LARGE);
  });

  it('is too large if it takes over too many grants, which outlive their products', () => {
    const ledger = ledgerAfter(newBuy(ours, ['X1']), newBuy(ours, ['X1']), deleteProduct(ours, ['X1']));
    const order = accepted(buyWith(stranger, { transferedAssetNum: true, products: undefined }));
    expect(planOrder(ledger, order, { ...LIMITS, ofOrder: 2 }).touched).toBe(0);
    expect(() => planOrder(ledger, order, { ...LIMITS, ofOrder: 1 })).toThrow(TOO_LARGE);
  });
});

describe('a failure', () => {
  /** The asset number and the place that the failure of an order names. */
  function named(sent: Sent, limits: Partial<typeof LIMITS> = {}, ledger = ledgerAfter(newBuy(ours, ['X1']))) {
    const [outcome] = planAll(ledger, [accepted(sent)], { ...LIMITS, ...limits });
    const { cause, args } = outcome!.failure!;
    const { assetNums, places } = findConcerned(cause, args);
    return [cause, ...assetNums, ...places];
  }
  const twice = [
    { assetNos: ['X2', 'X1'], ...productsOf('a') },
    { assetNos: ['X1'], ...productsOf('a', 'b', 'c') },
  ];

  it('names the asset and the element at which it happens', () => {
    const order = newBuy(ours, [], { assets: twice });
    expect(named(order, { ofOrder: 3 })).toEqual(['order_too_large', 'X1', 'assets[1].assetNos[0]']);
    expect(named(order, { onAsset: 3 })).toEqual(['asset_full', 'X1', 'assets[1].assetNos[0]']);
    expect(named(order, { onAsset: 1 })).toEqual(['asset_full', 'X1', 'assets[0].assetNos[1]']);
    expect(named(order, { counted: 1 })).toEqual(['order_too_large', 'X1', 'assets[0].assetNos[1]']);
  });

  it('names what comes after a null', () => {
    const { order } = accepted(newBuy(ours, ['X1']));
    expect(pathOf({ ...order, customerName: null as never }, order.assets[0]!)).toBe('assets[0]');
  });

  it('names what is in merchandise', () => {
    const sold = merchandise({ licenseOrderProductList: [uri('a'), productToBuy({ srcLicenseOrderId: '7' })] });
    const order = newBuy(ours, ['X1'], {}, { merchandises: [merchandise(), merchandise({ children: [sold] })] });
    const place = 'assets[0].merchandises[1].children[0].licenseOrderProductList[1].srcLicenseOrderId';
    expect(named(order)).toEqual(['source_order_not_found', place]);
  });

  it('names the date that an element gives', () => {
    const ledger = ledgerAfter(buyWith(ours, { limitStartDate: END }));
    expect(named(buyWith(ours, { limitEndDate: END - 1 }), {}, ledger)).toEqual([
      'dates_reversed',
      'X1',
      'assets[0].limitEndDate',
    ]);
  });
});

describe('delete_product', () => {
  const element = { assetNos: ['X1'], products: [productToRevoke()] };
  it.each([
    ['one element', [{ assetNos: ['X1'], products: [productToRevoke(), productToRevoke()] }]],
    ['two elements', [element, element]],
  ])('matches against what was active before the order, and revokes a product named twice once: in %s', (_, assets) => {
    const ledger = ledgerAfter(newBuy(ours, ['X1']));
    expect(succeed(ledger, deleteProduct(ours, [], {}, { assets }))).toEqual({ assets: 0, products: 1 });
    const [again] = planFrom(ledger, 901, deleteProduct(ours, [], {}, { assets }));
    expect(again).toMatchObject({ failure: { cause: 'product_not_found' } });
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
    // Two products, and the inner merchandise.
    expect(planOrder(ledger, accepted(deleteProduct(ours, ['X1'], { productUri: 'b' }))).touched).toBe(3);
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
    const place = 'assets[0].products[1]';
    expect(outcome?.failure?.args).toEqual(['X1', 'b', expect.stringContaining('productUri a'), place]);
  });
});

it('a bug does not become an outcome', () => {
  const ledger = { ...newLedger(), assets: undefined as unknown as Ledger['assets'] };
  expect(() => planFrom(ledger, 101, newBuy(ours, ['X1']))).toThrow(TypeError);
});

it.each<[string, Sent]>([
  ['new_buy', newBuy(ours, ['X1', 'X2'], {}, { limitEndDate: END + 4, merchandises: [merchandise()] })],
  ['a transfer', buyWith(sister, { transferedAssetNum: true })],
  ['delete_asset', deleteAsset(ours, ['X1'])],
  ['delete_product', deleteProduct(ours, ['X1'])],
])('planOrder does not change the ledger: %s', (_, sent) => {
  const ledger = ledgerAfter(buyWith(ours, { merchandises: [merchandise()] }));
  const before = structuredClone(ledger);
  const effects = planOrder(ledger, accepted(sent));
  expect(ledger).toEqual(before);
  advance(ledger, '900' as LicenseOrderId, effects);
  expect(ledger).not.toEqual(before);
});
