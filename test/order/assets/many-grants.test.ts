import { type Grant, loadContents, readLedger } from '@lockstep/assets';
import { BatchOrder, type LicenseOrderId } from '@lockstep/contract';
import { collectNeeds, LIMITS, type OrderWithId, planOnLoaded } from '@lockstep/orders/testing';
import { inTransaction } from '@lockstep/platform';
import { sql } from 'kysely';
import { expect, it, vi } from 'vitest';
import { explain, recordQueries } from '../../harness/databases/explain.ts';
import { buyLargeAssets, uriUnderGrant } from '../../harness/orders/large-assets.ts';
import {
  batchOf,
  deleteAsset,
  deleteProduct,
  newBuy,
  productToRevoke,
  type Sent,
} from '../../harness/orders/orders.ts';
import { testStack } from '../../harness/stack.ts';

/** The cost of an order that looks for many products on an asset with many grants. */
const GRANTS = 1_900;

const { stack, api } = await testStack({ worker: false });
const customer = await api.newCustomer();
const { large, order } = await buyLargeAssets({ db: stack.db, api }, customer, 1, { grants: GRANTS });
const assetNum = large[0]!;
const source = order.licenseOrderId;
await sql`vacuum analyze product_instance`.execute(stack.db);

const uris = (count: number) => Array.from({ length: count }, (_, place) => uriUnderGrant(place + 1));

interface PlanNode {
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
}

async function pagesOf(query: Parameters<typeof explain>[1]): Promise<number> {
  const plan = await explain<PlanNode>(stack.db, query);
  return plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
}

/** Returns how many pages PostgreSQL reads to find the first products on the asset. */
async function countPages(count: number, strictMatchWhenDelete: boolean): Promise<number> {
  const products = uris(count).map((productUri) => productToRevoke({ productUri, strictMatchWhenDelete }));
  const sent = recordQueries();
  const order = deleteProduct(customer, [], {}, { assets: [{ assetNos: [assetNum], products }] });
  expect(await api.preview(batchOf(order))).toMatchObject([{ cause: null }]);
  vi.restoreAllMocks();
  const [reading] = sent.filter(({ name }) => name === 'read_products');
  return await pagesOf(reading!);
}

it.each([false, true])('products under all grants are found in one pass, with strict match: %s', async (strict) => {
  const ofOne = await countPages(1, strict);
  // Per grant: one table page, two pages of the terms index and one of the terms. The product index is read once.
  expect(await countPages(GRANTS, strict)).toBeLessThan(2 * ofOne + 5 * GRANTS);
});

/** Planned orders have IDs above all stored ones. */
const FIRST_ID = 8_000_000_000_000_000_000n;
const acceptedOf = (...orders: Sent[]): OrderWithId[] =>
  BatchOrder.parse(batchOf(...orders)).orderList.map((order, index) => ({
    licenseOrderId: idOf(index),
    order,
    channels: null,
  }));
const idOf = (index: number) => String(FIRST_ID + BigInt(index)) as LicenseOrderId;

it('grants are scanned once, however many products of a source order are looked for', async () => {
  const countPasses = (count: number) =>
    inTransaction(stack.db, async (trx) => {
      const ledger = await readLedger(trx, collectNeeds(acceptedOf(deleteProduct(customer, [assetNum]))));
      const asset = ledger.assets.get(assetNum)!;
      let grants = asset.grants;
      let passes = 0;
      const get = () => {
        passes++;
        return grants;
      };
      const set = (loaded: Grant[]) => {
        grants = loaded;
      };
      Object.defineProperty(asset, 'grants', { get, set });
      const lookUps = uris(count).map((productUri) => ({ asset, productUri, terms: null, source }));
      await loadContents(trx, { bought: new Set(), grantsOf: new Set([asset]), counts: new Map(), lookUps }, LIMITS);
      return passes;
    });
  expect(await countPasses(GRANTS)).toBe(await countPasses(1));
});

it('an order that has taken over all grants is the source order of all their products', async () => {
  const next = await api.newCustomer();
  const transfer = newBuy(next, [assetNum], {}, { transferedAssetNum: true, products: [] });
  const assets = [
    { assetNos: [assetNum], products: uris(GRANTS).map((productUri) => productToRevoke({ productUri })) },
  ];
  const orders = acceptedOf(transfer, deleteProduct(next, [], {}, { assets, srcLicenseOrderId: idOf(0) }));
  const { outcomes } = await inTransaction(stack.db, (trx) => planOnLoaded(trx, orders));
  expect(outcomes).toMatchObject([{ failure: null }, { failure: null, products: GRANTS }]);
});

it.each(['count_active', 'read_grants', 'count_contents', 'read_products'])(
  '%s stops at its limit, whatever orders name',
  async (name) => {
    const { large } = await buyLargeAssets({ db: stack.db, api }, customer, 30, { grants: 100 });
    await sql`vacuum analyze product_instance, asset_grant, merchandise_instance`.execute(stack.db);
    const pagesFor = async (assetNums: string[], limits: { counted: number; together: number }) => {
      const sent = recordQueries();
      const isComplete = await inTransaction(stack.db, async (trx) => {
        const ledger = await readLedger(trx, collectNeeds(acceptedOf(deleteAsset(customer, assetNums))));
        const assets = assetNums.map((each) => ledger.assets.get(each)!);
        const counts = new Map(assets.map((asset) => [asset.assetNum, { asset, source: null }]));
        const lookUps = assets.flatMap((asset) =>
          uris(100).map((productUri) => ({ asset, productUri, terms: null, source: null })),
        );
        const all = new Set(assets);
        return await loadContents(trx, { bought: all, grantsOf: all, counts, lookUps }, limits);
      });
      vi.restoreAllMocks();
      return { isComplete, pages: await pagesOf(sent.find((query) => query.name === name)!) };
    };
    const some = await pagesFor(large.slice(0, 3), LIMITS);
    const stopped = await pagesFor(large, { counted: 150, together: 150 });
    expect([some.isComplete, stopped.isComplete]).toEqual([true, false]);
    expect(stopped.pages).toBeLessThan(some.pages);
  },
);

it('orders that buy for assets run together as far as these can be counted, and alone they are refused', async () => {
  const { large } = await buyLargeAssets({ db: stack.db, api }, customer, 2, { grants: 99 });
  const [one, other] = large as [string, string];
  const held = 2 * 100;
  const causesWithin = async (counted: number, ...orders: Sent[]) => {
    const limits = { ...LIMITS, counted };
    const { outcomes } = await inTransaction(stack.db, (trx) => planOnLoaded(trx, acceptedOf(...orders), limits));
    return outcomes.map(({ failure }) => failure?.cause ?? null);
  };
  const apart = [newBuy(customer, [one]), newBuy(customer, [other])];
  const both = newBuy(customer, [one, other]);
  const ofAnother = newBuy(await api.newCustomer(), [one, other]);
  expect(await causesWithin(2 * held, ...apart)).toEqual([null, null]);
  expect(await causesWithin(2 * held - 1, ...apart)).toEqual([null]);
  expect(await causesWithin(2 * held, both)).toEqual([null]);
  expect(await causesWithin(2 * held - 1, both)).toEqual(['order_too_large']);
  expect(await causesWithin(held - 1, ofAnother)).toEqual(['asset_owned_by_other_customer']);
});
