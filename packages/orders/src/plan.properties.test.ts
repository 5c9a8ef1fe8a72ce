import { type Asset, emptyChanges, type Ledger } from '@lockstep/assets';
import { batchOrderBody, type Customer, type Order, parse } from '@lockstep/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  batchOf,
  deleteAsset,
  deleteProduct,
  merchandise,
  newBuy,
  productToBuy,
  productToRevoke,
  type Sent,
} from '../../../test/harness/orders.ts';
import { type Outcome, planAll } from './apply.ts';
import type { AcceptedOrder } from './plan.ts';

/** So few customers, numbers and products that orders meet on them all the time. */
const CUSTOMERS = [
  ['11', '1'],
  ['12', '1'],
  ['21', '2'],
] as const;
const FIRST_ORDER_ID = 101;
const MAX_ORDERS = 25;

const oneOf = <Value>(...values: Value[]) => fc.constantFrom(...values);
/** A value that is mostly absent. */
const rarely = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { freq: 4, nil: undefined });

const customer = oneOf(...CUSTOMERS).map(
  ([customerId, enterpriseGlobalId]) => ({ customerId, enterpriseGlobalId, channelCustomerId: customerId }) as Customer,
);
const assetNos = fc.uniqueArray(oneOf('X1', 'X2', 'X3', 'X4'), { minLength: 1, maxLength: 3 });
const sourceOrder = fc.integer({ min: FIRST_ORDER_ID, max: FIRST_ORDER_ID + MAX_ORDERS }).map(String);
/** The licenseType of nearly all orders, and things that make an order fail. */
const header = fc.record({
  licenseType: fc.option(fc.constant('softkey'), { freq: 9, nil: 'normal_recover_usbkey' }),
  srcLicenseOrderId: rarely(sourceOrder),
});

const terms = fc.record({
  productUri: oneOf('a', 'b'),
  limitStartDate: oneOf(undefined, 1),
  limitConcurrent: oneOf(1, 2),
});
const product = fc
  .record({ terms, srcLicenseOrderId: rarely(sourceOrder) })
  .map(({ terms, srcLicenseOrderId }): Sent => productToBuy({ ...terms, srcLicenseOrderId }));
const products = fc.array(product, { maxLength: 2 });
const { tree } = fc.letrec<{ tree: Sent }>((tie) => ({
  tree: fc
    .record({
      licenseOrderProductList: products,
      children: fc.array(tie('tree'), { maxLength: 2, depthSize: 'small' }),
    })
    .map((changes) => merchandise(changes)),
}));
const assetToBuy = fc
  .record({
    assetNos,
    products,
    merchandises: fc.array(tree, { maxLength: 1 }),
    transferedAssetNum: fc.boolean(),
    limitEndDate: rarely(fc.nat(9)),
    borrowedUsbKey: rarely(fc.boolean()),
    assetExtendList: rarely(fc.array(fc.record({ extendCode: oneOf('c', 'd'), extendValue: oneOf('1', '2') }))),
  })
  .filter(({ products, merchandises }) => products.length + merchandises.length > 0);
const productsToRevoke = fc.array(
  fc
    .record({ terms, strictMatchWhenDelete: fc.boolean() })
    .map(({ terms, strictMatchWhenDelete }) => productToRevoke({ ...terms, strictMatchWhenDelete })),
  { minLength: 1, maxLength: 2 },
);

const elementsOf = <Element>(element: fc.Arbitrary<Element>) => fc.array(element, { minLength: 1, maxLength: 2 });
const sentOrder: fc.Arbitrary<Sent> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .tuple(customer, header, elementsOf(assetToBuy))
      .map(([buyer, changes, assets]) => newBuy(buyer, [], { ...changes, assets })),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(customer, header, elementsOf(fc.record({ assetNos })))
      .map(([owner, changes, assets]) => deleteAsset(owner, [], { ...changes, assets })),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(customer, header, elementsOf(fc.record({ assetNos, products: productsToRevoke })))
      .map(([owner, changes, assets]) => deleteProduct(owner, [], {}, { ...changes, assets })),
  },
);

/** Some orders, as acceptance leaves them. */
const history: fc.Arbitrary<AcceptedOrder[]> = fc
  .array(sentOrder, { minLength: 1, maxLength: MAX_ORDERS })
  .map((sent) => sent.map((each, index) => ({ licenseOrderId: String(FIRST_ORDER_ID + index), order: orderOf(each) })));

function orderOf(sent: Sent): Order {
  return parse(batchOrderBody, batchOf(sent)).orderList[0]!;
}

function newLedger(): Ledger {
  return {
    enterpriseOfCustomer: new Map(CUSTOMERS),
    customerOfPurchase: new Map(),
    assets: new Map(),
    changes: emptyChanges(),
  };
}

/** Plans one order after the other and lets `look` see each with the ledger before and after. */
function follow(
  ledger: Ledger,
  orders: AcceptedOrder[],
  look: (outcome: Outcome, before: Ledger, after: Ledger) => void,
): void {
  for (const order of orders) {
    const before = structuredClone(ledger);
    const [outcome] = planAll(ledger, [order]);
    look(outcome!, before, ledger);
  }
}

/** Every asset that the orders made, revoked ones included. */
const allAssets = ({ changes }: Ledger): Asset[] => [...changes.newAssets];

const countRevoked = (things: Iterable<{ revoked: boolean }>) => [...things].filter(({ revoked }) => revoked).length;

/** The ledger as the next transaction would load it: what is active, as stored, and no changes. */
function loadedAnew(ledger: Ledger): Ledger {
  const { assets, enterpriseOfCustomer, customerOfPurchase } = structuredClone(ledger);
  const active = <Thing extends { revoked: boolean }>(things: readonly Thing[]) =>
    things.filter(({ revoked }) => !revoked);
  for (const [assetNum, asset] of assets) {
    assets.set(assetNum, {
      ...asset,
      grants: active(asset.grants),
      merchandises: active(asset.merchandises).map((each) => ({ ...each, bought: null, parent: null })),
      products: active(asset.products).map((each) => ({ ...each, bought: null, merchandise: null })),
    });
  }
  return { assets, enterpriseOfCustomer, customerOfPurchase, changes: emptyChanges() };
}

describe('over any history', () => {
  it('what is active stands on an active asset, under a grant of its order', () => {
    fc.assert(
      fc.property(history, (orders) => {
        const ledger = newLedger();
        follow(ledger, orders, () => {
          for (const asset of allAssets(ledger)) {
            const granted = new Set(asset.grants.filter(({ revoked }) => !revoked).map((each) => each.licenseOrderId));
            expect(granted.size === 0).toBe(asset.revoked);
            for (const thing of [...asset.products, ...asset.merchandises]) {
              if (!thing.revoked) expect(granted).toContain(thing.licenseOrderId);
            }
          }
        });
      }),
    );
  });

  it('a number names at most one active asset, and the ledger finds it', () => {
    fc.assert(
      fc.property(history, (orders) => {
        const ledger = newLedger();
        follow(ledger, orders, () => {
          const active = allAssets(ledger).filter(({ revoked }) => !revoked);
          expect(new Map(active.map((asset) => [asset.assetNum, asset]))).toEqual(ledger.assets);
          expect(active.length).toBe(ledger.assets.size);
        });
      }),
    );
  });

  it('a failed order changes nothing', () => {
    fc.assert(
      fc.property(history, (orders) => {
        follow(newLedger(), orders, (outcome, before, after) => {
          if (outcome.failure === null) return;
          expect(after).toEqual(before);
          expect(outcome).toMatchObject({ assets: 0, products: 0 });
        });
      }),
    );
  });

  it('the counts are what the ledger gained or lost', () => {
    const totals = (ledger: Ledger) => {
      const products = allAssets(ledger).flatMap((asset) => asset.products);
      return {
        assets: ledger.changes.newAssets.size + countRevoked(allAssets(ledger)),
        products: products.length + countRevoked(products),
      };
    };
    fc.assert(
      fc.property(history, (orders) => {
        follow(newLedger(), orders, ({ assets, products }, before, after) => {
          const [earlier, later] = [totals(before), totals(after)];
          expect({ assets, products }).toEqual({
            assets: later.assets - earlier.assets,
            products: later.products - earlier.products,
          });
        });
      }),
    );
  });

  it('the changes to be written are the difference to the ledger that was loaded', () => {
    fc.assert(
      fc.property(history, history, (first, second) => {
        const earlier = newLedger();
        planAll(earlier, first);
        const loaded = loadedAnew(earlier);
        const before = structuredClone(loaded);
        planAll(loaded, renumbered(second, 1_000));
        const { changes } = loaded;
        for (const [assetNum, was] of before.assets) {
          const is = loaded.assets.get(assetNum);
          const kept = is !== undefined && !changes.newAssets.has(is);
          expect([...changes.revokedAssets].some((each) => each.assetNum === assetNum) || kept).toBe(true);
          if (kept && is.customerId !== was.customerId) expect(changes.releasedAssets).toContain(is);
          if (kept && !changes.changedAssets.has(is)) expect(termsOf(is)).toEqual(termsOf(was));
        }
        for (const asset of loaded.assets.values()) {
          expect(before.assets.has(asset.assetNum) || changes.newAssets.has(asset)).toBe(true);
        }
      }),
    );
  });

  it('planning in one go is planning one by one on a ledger loaded anew', () => {
    fc.assert(
      fc.property(history, (orders) => {
        const inOneGo = newLedger();
        const outcomes = planAll(inOneGo, orders);
        let ledger = newLedger();
        const oneByOne = orders.flatMap((order) => {
          ledger = loadedAnew(ledger);
          return planAll(ledger, [order]);
        });
        expect(oneByOne).toEqual(outcomes);
        expect(loadedAnew(ledger)).toEqual(loadedAnew(inOneGo));
      }),
    );
  });
});

/** What only an extension or a transfer changes. */
function termsOf({ customerId, licenseType, limitStartDate, limitEndDate, borrowedUsbKey, extends: codes }: Asset) {
  return { customerId, licenseType, limitStartDate, limitEndDate, borrowedUsbKey, codes };
}

/** The same orders under later ids; what they name as source orders stays. */
function renumbered(orders: AcceptedOrder[], by: number): AcceptedOrder[] {
  return orders.map(({ licenseOrderId, order }) => ({ licenseOrderId: String(Number(licenseOrderId) + by), order }));
}

describe('the histories', () => {
  it('hold orders that succeed and orders that fail for every cause', () => {
    const seen = new Set<string>();
    for (const orders of fc.sample(history, { numRuns: 300, seed: 1 })) {
      for (const { failure, accepted } of planAll(newLedger(), orders)) {
        seen.add(failure?.cause ?? `${accepted.order.orderType} succeeded`);
      }
    }
    expect([...seen].toSorted()).toEqual([
      'asset_not_found',
      'asset_not_in_source_order',
      'asset_owned_by_other_customer',
      'delete_asset succeeded',
      'delete_product succeeded',
      'license_type_mismatch',
      'new_buy succeeded',
      'product_not_found',
      'source_order_not_found',
    ]);
  });
});
