import fc from 'fast-check';
import type { Sent } from '../harness/orders/orders.ts';
import { CHANNELS, type ChannelLabel, type Sender } from './history.ts';

/**
 * Histories as they are drawn at random and made smaller.
 *
 * What an order refers to (a customer, a number, an earlier order) is a small integer that means something at any
 * place of any history, so that taking a batch, an order or an element away leaves a history. `histories.ts` says
 * what it means.
 */

type Absent = undefined | null | '';

const oneOf = <Value>(...values: Value[]) => fc.constantFrom(...values);

/** One of the choices, each as often as its weight says; the first is the simplest. */
function weighted<Value>(...choices: [weight: number, choice: fc.Arbitrary<Value>][]): fc.Arbitrary<Value> {
  return fc.oneof({ withCrossShrink: true }, ...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })));
}

/** One of twelve is odd. */
const mostly = <Value>(usual: Value, odd: fc.Arbitrary<Value>) => weighted([11, fc.constant(usual)], [1, odd]);

/** A field that is there so many times of twenty, else absent in one of the ways of rules 4. */
function maybe<Value>(weight: number, value: fc.Arbitrary<Value>): fc.Arbitrary<Value | Absent> {
  return weighted<Value | Absent>([18 - weight, fc.constant(undefined)], [2, oneOf<Absent>(null, '')], [weight, value]);
}

/** One item, and sometimes up to two more. */
function oneOrMore<Item>(item: fc.Arbitrary<Item>): fc.Arbitrary<Item[]> {
  const more = weighted<Item[]>([5, fc.constant([])], [1, fc.array(item, { minLength: 1, maxLength: 2 })]);
  return fc.tuple(item, more).map(([first, others]) => [first, ...others]);
}

/**
 * A way to name a source order. `granted`: one that granted to what the order names; `own`: a purchase of the
 * customer; `any`: whatever stands at the place, the order itself too.
 */
export type RawSource = { kind: 'granted' | 'own' | 'any' | 'unknown'; pick: number } | Absent;

const source = fc.record({
  kind: weighted<'granted' | 'own' | 'any' | 'unknown'>(
    [14, fc.constant('granted')],
    [2, fc.constant('own')],
    [2, fc.constant('any')],
    [1, fc.constant('unknown')],
  ),
  pick: fc.nat(30),
});

/** So few terms that purchases and revocations often agree; 0 is a time like any other. */
const terms = {
  productUri: weighted([4, fc.constant('a')], [1, oneOf('b', 'c')]),
  limitStartDate: maybe(6, oneOf(0, 5)),
  limitEndDate: maybe(6, oneOf(1_800_000_000_009, 4_102_444_800_000)),
  limitConcurrent: weighted([4, fc.constant(1)], [1, oneOf(0, 2)]),
};
const productToBuy = fc.record({ ...terms, srcLicenseOrderId: maybe(4, source) });
/** `aimed`: of a product that is there, with its terms. */
const productToRevoke = fc.record({
  ...terms,
  strictMatchWhenDelete: maybe(8, fc.boolean()),
  aimed: weighted<number | null>([4, fc.nat(5)], [1, fc.constant(null)]),
});
const productsToBuy = fc.array(productToBuy, { maxLength: 2 });

const merchandiseOf = (children: fc.Arbitrary<Sent[] | Absent>) =>
  fc.record({ merchandiseNum: oneOf('M', 'N'), products: productsToBuy, children });
const childless = merchandiseOf(oneOf<Sent[] | Absent>(undefined, null, []));
const branching = merchandiseOf(fc.array(merchandiseOf(fc.array(childless, { maxLength: 1 })), { maxLength: 2 }));
/** Packages one inside the other, down to the depth where rules 6.1 end. */
const nested = fc
  .tuple(weighted([2, fc.integer({ min: 3, max: 15 })], [1, fc.constant(16)]), childless)
  .map(([depth, innermost]) => {
    let outer: Sent = innermost;
    for (let at = depth - 1; at > 0; at--) {
      outer = { merchandiseNum: `M${at}`, products: [{ productUri: 'a', limitConcurrent: 1 }], children: [outer] };
    }
    return outer;
  });
const merchandise = weighted<Sent>([6, childless], [5, branching], [1, nested]);

/** A way to name a number: `own` and `any` from few numbers, `aimed` one of the customer's assets that are there. */
export interface RawNumber {
  kind: 'own' | 'any' | 'aimed';
  pick: number;
}

const pick = fc.nat(7);
const own = fc.record({ kind: fc.constant('own' as const), pick });
const any = fc.record({ kind: fc.constant('any' as const), pick });
const aimed = fc.record({ kind: fc.constant('aimed' as const), pick });
const isPadded = mostly(false, fc.constant(true));
const toBuy = {
  numbers: fc.array(weighted<RawNumber>([4, own], [3, any], [3, aimed]), { minLength: 1, maxLength: 3 }),
  isPadded,
};
const numberToRevoke = weighted<RawNumber>([12, aimed], [2, own], [1, any]);
const toRevoke = {
  numbers: oneOrMore(numberToRevoke),
  isPadded,
};

/** Limits that never end before they start, but may where they replace one another. */
const LIMITS: Sent[] = [
  { limitStartDate: 0, limitEndDate: 1_800_000_000_005 },
  { limitStartDate: 1_800_000_000_009, limitEndDate: '' },
  { limitStartDate: null, limitEndDate: 1_800_000_000_005 },
];
const assetToBuy = fc
  .record({
    ...toBuy,
    products: productsToBuy,
    merchandises: maybe(6, fc.array(merchandise, { maxLength: 2 })),
    transferedAssetNum: maybe(10, weighted([4, fc.constant(true)], [1, fc.constant(false)])),
    limits: weighted<Sent>([4, fc.constant({})], [1, oneOf<Sent>(...LIMITS)]),
    borrowedUsbKey: maybe(4, fc.boolean()),
    assetExtendList: maybe(
      6,
      fc.array(
        fc.record({
          extendCode: mostly<string | Absent>('c', oneOf('d', null, '')),
          extendValue: weighted<string | Absent>([8, oneOf('1', '2')], [1, oneOf<Absent>(undefined, null, '')]),
        }),
        { maxLength: 3 },
      ),
    ),
  })
  .map(({ limits, ...element }) => ({ ...element, ...limits }));
const assetToRevoke = fc.record(toRevoke);
const assetToRevokeProductsOf = fc.record({
  ...toRevoke,
  limitEndDate: maybe(2, fc.constant(9)),
  products: oneOrMore(productToRevoke),
});

/** An asset element as drawn. */
type RawElement = { numbers: RawNumber[]; isPadded: boolean } & Sent;

export interface RawOrder {
  orderType: string;
  /** Index of a customer (0 to 4); for a revocation, one who owns assets if any does. */
  customer: number | 'nobody';
  /** Whether the customer may be one that does not exist for the sender. */
  isForAnyone: boolean;
  enterprise: 'own' | 'other' | 'nobody';
  /** `fitting`: that of the asset it names, or else the usual one of the history. */
  licenseType: string;
  source: RawSource;
  /** Orders take effect by this, then by their place in orderList. */
  rank: number;
  elements: RawElement[];
}

const header = {
  customer: weighted<number | 'nobody'>(
    [20, fc.constant(0)],
    [24, oneOf(1, 2)],
    [6, oneOf(3, 4)],
    [1, fc.constant('nobody')],
  ),
  isForAnyone: mostly(false, fc.constant(true)),
  enterprise: weighted<RawOrder['enterprise']>([40, fc.constant('own')], [1, oneOf('other', 'nobody')]),
  licenseType: weighted([30, fc.constant('fitting')], [1, oneOf('softkey', 'cloud_personal', 'lk_auth_usbkey')]),
  rank: fc.nat(5),
};
const purchase: fc.Arbitrary<RawOrder> = fc.record({
  orderType: fc.constant('new_buy'),
  ...header,
  source: maybe(2, source),
  elements: oneOrMore(assetToBuy),
});
const revocationOfAssets: fc.Arbitrary<RawOrder> = fc.record({
  orderType: fc.constant('delete_asset'),
  ...header,
  source: maybe(11, source),
  elements: oneOrMore(assetToRevoke),
});
const revocationOfProducts: fc.Arbitrary<RawOrder> = fc.record({
  orderType: fc.constant('delete_product'),
  ...header,
  source: maybe(6, source),
  elements: oneOrMore(assetToRevokeProductsOf),
});
const order = weighted([4, purchase], [3, revocationOfAssets], [3, revocationOfProducts]);

/**
 * What happens before a batch: a channel is paused, or resumed if it is paused; S3 is bound; the late customer is
 * created.
 */
export type RawEvent =
  | { type: 'toggle'; channel: ChannelLabel }
  | { type: 'bind'; channels: ChannelLabel[] }
  | { type: 'create' };
const event: fc.Arbitrary<RawEvent> = weighted<RawEvent>(
  [4, fc.record({ type: fc.constant('toggle' as const), channel: oneOf(...CHANNELS) })],
  // Its batches are of channel A.
  [
    1,
    oneOf<ChannelLabel[]>(['A'], ['A', 'B'], ['A', 'B', 'C']).map((channels) => ({ type: 'bind' as const, channels })),
  ],
  [1, fc.constant({ type: 'create' as const })],
);
const events = weighted<RawEvent[]>([3, fc.constant([])], [1, fc.array(event, { minLength: 1, maxLength: 2 })]);
const sender = weighted<Sender>([4, fc.constant('S1')], [3, oneOf<Sender>('S2', 'S3')]);

export interface RawHistory {
  /** What most orders of this history are about. */
  usualType: string;
  batches: { mode: 'sync' | 'async'; sender: Sender; events: RawEvent[]; isLate: boolean; orders: RawOrder[] }[];
}

/** Raw histories of up to so many batches and orders a batch, after a batch of purchases that they can work on. */
export function rawHistories(size: { maxBatches: number; maxOrders: number }): fc.Arbitrary<RawHistory> {
  const { maxBatches, maxOrders } = size;
  const mode = weighted<'sync' | 'async'>([3, fc.constant('async')], [2, fc.constant('sync')]);
  const fewOrMany = (orders: fc.Arbitrary<RawOrder>) =>
    weighted(
      [2, fc.array(orders, { minLength: 1, maxLength: 2 })],
      [1, fc.array(orders, { minLength: 1, maxLength: maxOrders, size: 'max' })],
    );
  const opening = fc.record({
    mode: fc.constant('async' as const),
    sender,
    events: fc.constant<RawEvent[]>([]),
    isLate: fc.constant(false),
    orders: fc.array(purchase, { maxLength: 6, size: 'max' }),
  });
  const isLate = weighted([3, fc.constant(false)], [1, fc.constant(true)]);
  const batch = fc.record({ mode, sender, events, isLate, orders: fewOrMany(order) });
  return fc.record({
    usualType: weighted(
      [2, oneOf('normal_recover_usbkey', 'product_entity')],
      [1, oneOf('cloud_account', 'cloud_customer')],
    ),
    batches: fc
      .tuple(opening, fc.array(batch, { maxLength: maxBatches, size: 'max' }))
      .map(([first, others]) => [first, ...others].filter(({ orders }) => orders.length > 0)),
  });
}
