import {
  type Asset,
  emptyChanges,
  heldBy,
  type Ledger,
  type MerchandiseInstance,
  type ProductInstance,
  revokerOf,
  type Transfer,
} from '@lockstep/assets';
import { BatchOrder, type CustomerId, type EnterpriseId, type LicenseOrderId, parse } from '@lockstep/contract';
import { LIMITS, type OrderWithId, type Outcome, planAll } from '@lockstep/orders/testing';
import fc from 'fast-check';
import { expectSame } from './expect-same.ts';
import { histories } from './histories.ts';
import {
  bodyOf,
  CUSTOMERS,
  type History,
  type HistoryEvent,
  isAct,
  LATE_CUSTOMER,
  type Names,
  SENDERS,
} from './history.ts';
import { type AssetValue, type MerchandiseValue, type ProductValue, sortedLedger } from './ledger-value.ts';
import type { Limits } from './model.ts';
import { Population } from './population.ts';

const IDS: Record<string, string> = {
  C1: '11',
  C2: '12',
  C3: '23',
  C4: '24',
  C5: '15',
  E1: '1',
  E2: '2',
  nobody: '99',
};
const FIRST_ORDER_ID = 1_001;
const NAMES: Names = {
  id: (label) => IDS[label]!,
  assetNum: (label) => label,
  order: (place) => String(place === 'unknown' ? 999_999 : FIRST_ORDER_ID + place),
};
const LEDGER_CUSTOMERS = Object.entries(CUSTOMERS).map(([label, { enterprise, channel }]) => {
  const customer = { enterpriseId: NAMES.id(enterprise) as EnterpriseId, channelCode: channel, contact: null };
  return [NAMES.id(label) as CustomerId, customer] as const;
});

/** `planAll` with given limits. */
export type Plan = (ledger: Ledger, orders: readonly OrderWithId[], limits: Limits) => Outcome[];

export const planWithin: Plan = (ledger, orders, limits) => planAll(ledger, orders, { ...LIMITS, ...limits });

/**
 * Applies a history with the model and with the planner, within the same limits, and throws if they differ. Channels
 * are never paused, because waiting orders don't reach the planner, and holdings and locks don't matter to it.
 */
function comparePlanner(history: History, limits: Limits, plan: Plan): void {
  const population = new Population(NAMES, limits);
  const { model } = population;
  const channelsOf = new Map<string, readonly string[] | null>(Object.entries(SENDERS));
  let ledger = newLedger();
  let hasLateCustomers = false;
  const happen = (event: HistoryEvent) => {
    if (isAct(event) || event.type === 'pause' || event.type === 'resume') return;
    population.happen(event);
    if (event.type === 'bind') channelsOf.set(event.sender, event.channels);
    else hasLateCustomers = true;
  };
  for (const { mode, sender, events = [], orders } of history.batches) {
    events.forEach(happen);
    if (hasLateCustomers) for (const [id, customer] of LEDGER_CUSTOMERS) ledger.customers.set(id, customer);
    const sent = orders.map((order) => ({ licenseOrderId: NAMES.order(order.place), body: bodyOf(order, NAMES) }));
    const expected = model.batch(mode, sender, sent);

    const orderList = sent.map(({ body }) => body);
    const parsed = parse(BatchOrder, { channelCode: 'test', channelOrderId: 'test', syncMode: mode, orderList });
    const accepted = parsed.orderList.map((order, index) => ({
      licenseOrderId: sent[index]!.licenseOrderId as LicenseOrderId,
      order,
      channels: channelsOf.get(sender)!,
    }));
    // Like the transaction of a sync call, keep changes only if no order failed.
    const planned = mode === 'sync' ? structuredClone(ledger) : ledger;
    const outcomes = plan(
      planned,
      accepted.toSorted((a, b) => a.order.sequence - b.order.sequence),
      limits,
    );
    if (outcomes.every(({ failure }) => failure === null) || mode === 'async') ledger = planned;

    const byId = new Map<string, Outcome>(outcomes.map((outcome) => [outcome.accepted.licenseOrderId, outcome]));
    const actual = sent.map(({ licenseOrderId }) => {
      const { failure, assets, products } = byId.get(licenseOrderId)!;
      return { cause: failure?.cause ?? null, assets, products };
    });
    expectSame(`outcomes of the batch from place ${orders[0]?.place}`, actual, expected);
  }
  expectSame('the final ledger', sortedLedger(assetsOf(ledger)), sortedLedger(model.assets));
}

function newLedger(): Ledger {
  return {
    customers: new Map(LEDGER_CUSTOMERS.filter(([id]) => id !== NAMES.id(LATE_CUSTOMER))),
    customerOfPurchase: new Map(),
    assets: new Map(),
    changes: emptyChanges(),
  };
}

/** Returns all assets, which are all new in this ledger's changes. */
function assetsOf({ changes }: Ledger): AssetValue[] {
  return [...changes.newAssets].map((asset) => {
    const bought = changes.newMerchandises.flatMap((effect) => (effect.asset === asset ? [effect.merchandise] : []));
    return assetValue(asset, bought, changes.transfers);
  });
}

function assetValue(asset: Asset, bought: readonly MerchandiseInstance[], transfers: readonly Transfer[]): AssetValue {
  const productsIn = (place: MerchandiseInstance | null) =>
    asset.products.filter(({ merchandise }) => merchandise === place).map(productValue);
  const merchandisesIn = (place: MerchandiseInstance | null): MerchandiseValue[] =>
    bought
      .filter(({ parent }) => parent === place)
      .map((each) => ({
        order: each.licenseOrderId,
        heldBy: heldBy(each),
        merchandiseNum: each.bought!.merchandiseNum,
        revokedBy: revokerOf(each),
        products: productsIn(each),
        children: merchandisesIn(each),
      }));
  return {
    assetNum: asset.assetNum,
    customer: asset.customerId,
    licenseType: asset.licenseType,
    start: asset.limitStartDate,
    end: asset.limitEndDate,
    borrowed: asset.borrowedUsbKey,
    stopped: null,
    extendCodes: { ...asset.extends },
    revokedBy: asset.revokedBy,
    transfers: transfers
      .filter((each) => each.asset === asset)
      .map(({ licenseOrderId, fromCustomerId, toCustomerId }) => {
        return { order: licenseOrderId, from: fromCustomerId, to: toCustomerId };
      }),
    grants: asset.grants.map(({ licenseOrderId, revokedBy }) => ({ order: licenseOrderId, revokedBy })),
    products: productsIn(null),
    merchandises: merchandisesIn(null),
  };
}

function productValue(product: ProductInstance): ProductValue {
  return {
    order: product.licenseOrderId,
    heldBy: heldBy(product),
    productUri: product.productUri,
    start: product.limitStartDate,
    end: product.limitEndDate,
    concurrent: product.limitConcurrent,
    source: product.bought?.srcLicenseOrderId ?? null,
    revokedBy: revokerOf(product),
  };
}

const history = histories({ maxBatches: 6, maxOrders: 5 });
/** The service's own limits, or limits small enough for these histories to reach. */
export const limits: fc.Arbitrary<Limits> = fc.oneof(
  fc.constant({ onAsset: 2_000, codesOnAsset: 100, ofOrder: 10_000, counted: 100_000 }),
  fc.record({
    onAsset: fc.integer({ min: 1, max: 20 }),
    codesOnAsset: fc.integer({ min: 1, max: 2 }),
    ofOrder: fc.integer({ min: 1, max: 12 }),
    counted: fc.integer({ min: 1, max: 30 }),
  }),
);

/** The property that a planner agrees with the model on any history, within any limits. */
export const comparisons = (plan: Plan = planWithin) =>
  fc.property(history, limits, (each, within) => comparePlanner(each, within, plan));
