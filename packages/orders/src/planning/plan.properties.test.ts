import { emptyChanges, type Ledger, LedgerIds } from '@lockstep/assets';
import {
  BatchOrder,
  type Customer,
  type CustomerId,
  type EnterpriseId,
  type LicenseOrderId,
  type Order,
  parse,
} from '@lockstep/contract';
import type { Trx } from '@lockstep/platform';
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
import { testDatabase } from '@lockstep/test/harness/stack';
import fc from 'fast-check';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { planOnLoaded, storeApplied } from '../applying/apply.ts';
import { LIMITS, type Limits, type OrderWithId } from './order.ts';
import { planAll } from './plan.ts';

/** Few customers, numbers and products, so that orders often affect each other. */
const CUSTOMERS = [
  ['11', '1'],
  ['12', '1'],
  ['21', '2'],
] as [CustomerId, EnterpriseId][];
const FIRST_ORDER_ID = 101;
const MAX_ORDERS = 16;

const oneOf = <Value>(...values: Value[]) => fc.constantFrom(...values);
/** The odd value one time in ten, otherwise the usual one. */
const mostly = <Usual, Odd>(usual: Usual, odd: fc.Arbitrary<Odd>) =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: odd });

const customer = oneOf(...CUSTOMERS).map(
  ([customerId, enterpriseGlobalId]) =>
    ({ customerId, enterpriseGlobalId, channelCustomerId: customerId as string }) as Customer,
);
const assetNos = fc.uniqueArray(oneOf('X1', 'X2', 'X3', 'X4'), { minLength: 1, maxLength: 3 });
const sourceOrder = fc.integer({ min: FIRST_ORDER_ID, max: FIRST_ORDER_ID + MAX_ORDERS }).map(String);
const licenseType = mostly('normal_recover_usbkey', fc.constant('softkey'));
const purchase = fc.record({ licenseType, srcLicenseOrderId: mostly(undefined, sourceOrder) });
const revocation = fc.record({ licenseType, srcLicenseOrderId: fc.option(sourceOrder, { freq: 2 }) });

const terms = fc.record({
  productUri: oneOf('a', 'b'),
  limitStartDate: oneOf(undefined, 1),
  limitConcurrent: oneOf(1, 2),
});
const product = fc
  .record({ terms, srcLicenseOrderId: mostly(undefined, sourceOrder) })
  .map(({ terms, srcLicenseOrderId }) => productToBuy({ ...terms, srcLicenseOrderId }));
const products = fc.array(product, { maxLength: 2 });
const packageWith = (children: fc.Arbitrary<Sent[]>) =>
  fc.record({ licenseOrderProductList: products, children }).map((changes) => merchandise(changes));
const nestedPackage = packageWith(
  fc.array(packageWith(fc.array(packageWith(fc.constant([])), { maxLength: 1 })), { maxLength: 2 }),
);
const assetToBuy = fc
  .record({
    assetNos,
    products,
    merchandises: fc.array(nestedPackage, { maxLength: 1 }),
    transferedAssetNum: mostly(false, fc.constant(true)),
    limitEndDate: fc.option(fc.integer({ min: 1_800_000_000_000, max: 1_800_000_000_009 })),
    borrowedUsbKey: fc.option(fc.boolean()),
    assetExtendList: fc.option(
      fc.array(fc.record({ extendCode: oneOf('c', 'd'), extendValue: oneOf('1', '2') }), { maxLength: 2 }),
    ),
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
      .tuple(customer, purchase, elementsOf(assetToBuy))
      .map(([buyer, changes, assets]) => newBuy(buyer, [], { ...changes, assets })),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(customer, revocation, elementsOf(fc.record({ assetNos })))
      .map(([owner, changes, assets]) => deleteAsset(owner, [], { ...changes, assets })),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(customer, revocation, elementsOf(fc.record({ assetNos, products: productsToRevoke })))
      .map(([owner, changes, assets]) => deleteProduct(owner, [], {}, { ...changes, assets })),
  },
);

/** The service's own limits, or so small ones that reading stops at them. */
const limits: fc.Arbitrary<Limits> = fc.oneof(
  fc.record({ codesOnAsset: oneOf(1, 100) }).map((changes) => ({ ...LIMITS, ...changes })),
  fc
    .record({
      onAsset: fc.integer({ min: 1, max: 8 }),
      ofOrder: fc.integer({ min: 1, max: 8 }),
      counted: fc.integer({ min: 1, max: 16 }),
    })
    .map((changes) => ({ ...LIMITS, ...changes, together: changes.onAsset + changes.ofOrder })),
);

/** Some orders, as acceptance stores them. */
const history: fc.Arbitrary<OrderWithId[]> = fc.array(sentOrder, { minLength: 1, maxLength: MAX_ORDERS }).map((sent) =>
  sent.map((each, index) => ({
    licenseOrderId: String(FIRST_ORDER_ID + index) as LicenseOrderId,
    order: orderOf(each),
    channels: null,
  })),
);

function orderOf(sent: Sent): Order {
  return parse(BatchOrder, batchOf(sent)).orderList[0]!;
}

function newLedger(): Ledger {
  return {
    customers: new Map(
      CUSTOMERS.map(([id, enterpriseId]) => [id, { enterpriseId, channelCode: 'test', contact: null }]),
    ),
    customerOfPurchase: new Map(),
    assets: new Map(),
    changes: emptyChanges(),
  };
}

describe('over any history, stored', async () => {
  const { db } = await testDatabase();
  const enterprises = [...new Set(CUSTOMERS.map(([, enterpriseId]) => enterpriseId))];
  await db
    .insertInto('enterprise')
    .values(enterprises.map((id) => ({ id, name: id, code: `enterprise${id}`.slice(-10) })))
    .execute();
  const names = { channel_code: 'test', name: 'Customer', branch_name: 'Branch', is_default: false };
  await db.insertInto('channel').values({ code: 'test' }).execute();
  await db
    .insertInto('customer')
    .values(CUSTOMERS.map(([id, enterprise_id]) => ({ id, enterprise_id, channel_customer_id: id, ...names })))
    .execute();

  it('orders applied together leave the same rows as orders applied one by one', async () => {
    const ids = new LedgerIds();
    /** Returns the rows that groups of orders leave when as many of a group as may run together do. Rolls back. */
    const rowsAfter = async (groups: OrderWithId[][], limits: Limits) => {
      const trx = await db.startTransaction().execute();
      try {
        for (const orders of groups) {
          for (let left = orders; left.length > 0; ) {
            const { ledger, outcomes } = await planOnLoaded(trx, left, limits);
            await storeApplied(trx, ledger, outcomes, ids);
            left = left.slice(outcomes.length);
          }
        }
        return await readRows(trx);
      } finally {
        await trx.rollback().execute();
      }
    };
    await fc.assert(
      fc.asyncProperty(history, fc.integer({ min: 2, max: 6 }), limits, async (orders, groupSize, within) => {
        const groups = [...Map.groupBy(orders, (_, index) => Math.floor(index / groupSize)).values()];
        const alone = orders.map((order) => [order]);
        const readingAll = { ...within, together: LIMITS.together };
        expect(await rowsAfter(groups, within)).toEqual(await rowsAfter(alone, readingAll));
      }),
      // How long shrinking a counterexample may take.
      { numRuns: 150, interruptAfterTimeLimit: 15_000 },
    );
  });
});

/** Everything that orders have stored, without ids and times. */
async function readRows(trx: Trx) {
  const { rows: orders } = await sql`
    select id, order_type, customer_id, cause, args, assets, products, src_license_order_id
    from license_order order by id`.execute(trx);
  const { rows: assets } = await sql`
    select asset_num, customer_id, license_type, limit_start_date, limit_end_date, borrowed_usb_key, extends,
      revoked_time is not null as revoked, revoked_by_order_id,
      array(select (license_order_id, from_customer_id, to_customer_id)::text from asset_transfer
        where asset_id = asset.id order by license_order_id) as transfers,
      array(select (license_order_id, revoked_time is not null, revoked_by_order_id)::text from asset_grant
        where asset_id = asset.id order by license_order_id) as grants,
      array(select (m.license_order_id, m.merchandise_num, m.held_by_order_id, m.parent_id is not null,
          m.revoked_time is not null, m.revoked_by_order_id)::text
        from merchandise_instance m where m.asset_id = asset.id order by m.id) as merchandises,
      array(select (p.license_order_id, t.product_uri, p.limit_start_date, p.limit_concurrent, p.src_license_order_id,
          p.merchandise_id is not null, p.held_by_order_id, p.revoked_time is not null, p.revoked_by_order_id)::text
        from product_instance p join product_terms t on t.id = p.terms_id where p.asset_id = asset.id order by p.id) as products
    from asset order by id`.execute(trx);
  return { orders, assets };
}

describe('the histories', () => {
  it('contain orders that succeed and orders that fail with every cause', () => {
    const seen = new Set<string>();
    for (const orders of fc.sample(history, { numRuns: 300, seed: 1 })) {
      for (const { failure, accepted } of planAll(newLedger(), orders)) {
        seen.add(failure?.cause ?? `${accepted.order.orderType} succeeded`);
      }
    }
    expect([...seen].toSorted()).toEqual([
      ...['asset_not_found', 'asset_not_in_source_order', 'asset_owned_by_other_customer', 'delete_asset succeeded'],
      ...['delete_product succeeded', 'license_type_mismatch', 'new_buy succeeded', 'product_not_found'],
      'source_order_not_found',
    ]);
  });
});
