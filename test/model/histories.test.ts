import fc from 'fast-check';
import { expect, it } from 'vitest';
import { histories } from './histories.ts';
import { bodyOf, type HistoryOrder, numbersOf, sourcesOf } from './history.ts';
import { type AssetValue, isActive, type MerchandiseValue, merchandisesOn } from './ledger-value.ts';
import type { ModelOutcome } from './model.ts';
import { Population } from './population.ts';

const NAMES = { id: (label: string) => label, assetNum: (label: string) => label, order: String };
const SAMPLE = 1_000;
const TIMES = 3;

const SUCCESSES = [
  'create',
  'extend',
  'transfer',
  're-purchase',
  'extend code',
  'limit',
  'borrowedUsbKey',
  'product source',
  'packages 16 deep',
  'new_buy of a number in two elements',
  'transfer without products',
  'source order of another customer',
  'revoke by the order that transferred',
  'a product named twice',
  'emptied package',
  'revoke',
  'revoke by source',
  'partly revoke',
  'grant without products',
  'match by productUri',
  'strict match',
  'strict match with a date',
  'match inside a package',
  'match by source',
  'a cloud license',
  'sync',
  'orders of a paused channel',
  'a sync call of a paused channel',
];
const CAUSES = [
  'customer_not_found',
  'enterprise_mismatch',
  'source_order_not_found',
  'asset_owned_by_other_customer',
  'license_type_mismatch',
  'asset_not_found',
  'asset_not_in_source_order',
  'product_not_found',
  'dates_reversed',
];

/** Yields what an order that succeeded alone did to one number. */
function* kindsOfNumber(order: HistoryOrder, was: AssetValue | undefined, is: AssetValue | undefined, isOld: boolean) {
  if (order.orderType === 'new_buy') {
    if (was === undefined) yield isOld ? 're-purchase' : 'create';
    else yield was.customer === order.customer ? 'extend' : 'transfer';
    if (was !== undefined && was.customer !== order.customer && !order.elements.some(hasItems)) {
      yield 'transfer without products';
    }
    if (depthOf(is!.merchandises) === 16) yield 'packages 16 deep';
    if (was === undefined) return;
    if (JSON.stringify(was.extendCodes) !== JSON.stringify(is!.extendCodes)) yield 'extend code';
    if (was.start !== is!.start || was.end !== is!.end) yield 'limit';
    if (was.borrowed !== is!.borrowed) yield 'borrowedUsbKey';
  }
  if (order.orderType === 'delete_asset') {
    if (is !== undefined) yield 'partly revoke';
    else yield order.srcLicenseOrderId ? 'revoke by source' : 'revoke';
    if (was!.transfers.some((transfer) => transfer.order === String(order.srcLicenseOrderId))) {
      yield 'revoke by the order that transferred';
    }
  }
  if (order.orderType === 'delete_product' && activeInside(was!) > activeInside(is!)) yield 'match inside a package';
  if (order.orderType === 'delete_product' && activePackages(was!) > activePackages(is!)) yield 'emptied package';
}

const hasItems = ({ products, merchandises }: HistoryOrder['elements'][number]) =>
  [products, merchandises].some((list) => Array.isArray(list) && list.length > 0);
const activePackages = (asset: AssetValue) => merchandisesOn(asset).filter(isActive).length;

/** Yields what an order that succeeded alone did. */
function* kindsOf(
  order: HistoryOrder,
  { products }: ModelOutcome,
  customerOf: (place: number) => string | undefined,
): Generator<string> {
  const { orderType, srcLicenseOrderId, licenseType } = order;
  const numbers = numbersOf(order);
  if (licenseType.startsWith('cloud_')) yield 'a cloud license';
  if (orderType === 'new_buy') {
    if (new Set(numbers).size < numbers.length) yield 'new_buy of a number in two elements';
    if (sourcesOf(order).some((place) => place !== srcLicenseOrderId)) yield 'product source';
    const source = typeof srcLicenseOrderId === 'number' ? customerOf(srcLicenseOrderId) : undefined;
    if (source !== undefined && source !== order.customer) yield 'source order of another customer';
  }
  if (orderType === 'delete_asset' && srcLicenseOrderId && products === 0) yield 'grant without products';
  if (orderType === 'delete_product') {
    const elements = JSON.stringify(order.elements);
    yield elements.includes('"strictMatchWhenDelete":true') ? 'strict match' : 'match by productUri';
    if (/"limit(Start|End)Date":\d[^{]*"strictMatchWhenDelete":true/.test(elements)) yield 'strict match with a date';
    if (srcLicenseOrderId) yield 'match by source';
    if (order.elements.some(namesOneTwice)) yield 'a product named twice';
  }
}

/** Whether an element names only one product, more than once. */
function namesOneTwice({ products }: HistoryOrder['elements'][number]): boolean {
  const uris = (products as { productUri: string }[]).map(({ productUri }) => productUri);
  return uris.length > 1 && new Set(uris).size === 1;
}

const depthOf = (packages: MerchandiseValue[]): number =>
  packages.length === 0 ? 0 : 1 + Math.max(...packages.map(({ children }) => depthOf(children)));

/** Counts the active products in packages, at any depth. */
function activeInside(asset: AssetValue): number {
  return merchandisesOn(asset).flatMap(({ products }) => products.filter(isActive)).length;
}

it('histories cover every kind of success and every cause of failure', () => {
  const seen = new Map<string, number>();
  const note = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1);
  for (const { batches } of fc.sample(histories({ maxBatches: 6, maxOrders: 5 }), { numRuns: SAMPLE, seed: 1 })) {
    const population = new Population((label) => label);
    const { model } = population;
    const all = batches.flatMap((batch) => batch.orders);
    const customerOf = (at: number) => all.find(({ place }) => place === at)?.customer;
    for (const { mode, sender, events = [], orders } of batches) {
      for (const event of events) population.happen(event);
      const before = model.assets;
      const outcomes = model.batch(
        mode,
        sender,
        orders.map((order) => ({ licenseOrderId: String(order.place), body: bodyOf(order, NAMES) })),
      );
      const causes = outcomes.flatMap(({ cause }) => cause ?? []);
      causes.forEach(note);
      const isPaused = orders.some(({ customer }) => model.pausedChannelOf(customer, sender) !== undefined);
      if (isPaused) note(mode === 'sync' ? 'a sync call of a paused channel' : 'orders of a paused channel');
      if (isPaused || causes.length > 0) continue;
      if (mode === 'sync' && orders.length > 1) note('sync');
      if (orders.length > 1) continue;
      const [order] = orders as [HistoryOrder];
      for (const kind of kindsOf(order, outcomes[0]!, customerOf)) note(kind);
      const activeIn = (assets: readonly AssetValue[], number: string) =>
        assets.find((asset) => isActive(asset) && asset.assetNum === number);
      for (const number of numbersOf(order)) {
        const isOld = before.some(({ assetNum }) => assetNum === number);
        for (const kind of kindsOfNumber(order, activeIn(before, number), activeIn(model.assets, number), isOld))
          note(kind);
      }
    }
  }
  const rare = [...SUCCESSES, ...CAUSES].filter((what) => (seen.get(what) ?? 0) < TIMES);
  expect(rare).toEqual([]);
  // Every cause must be in the table.
  expect([...seen.keys()].filter((what) => ![...SUCCESSES, ...CAUSES].includes(what))).toEqual([]);
});
