import fc from 'fast-check';
import type { Sent } from '../harness/orders/orders.ts';
import { CHANNELS, type ChannelLabel, type Sender } from './history.ts';
import { type RawAct, rawAct } from './raw-acts.ts';

/**
 * Histories as fast-check generates and shrinks them.
 *
 * References (to a customer, a number, an earlier order) are small integers that are valid at any position. So
 * shrinking can remove any batch, order or element. `histories.ts` resolves the references.
 */

type Absent = undefined | null | '';

const oneOf = <Value>(...values: Value[]) => fc.constantFrom(...values);

/** Chooses by weight. The first choice is the simplest for shrinking. */
function weighted<Value>(...choices: [weight: number, choice: fc.Arbitrary<Value>][]): fc.Arbitrary<Value> {
  return fc.oneof({ withCrossShrink: true }, ...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })));
}

/** Unusual once in twelve times. */
const mostly = <Value>(usual: Value, odd: fc.Arbitrary<Value>) => weighted([11, fc.constant(usual)], [1, odd]);

/** A field present in `weight` of 20 cases, otherwise absent in one of the ways in rules 4. */
function maybe<Value>(weight: number, value: fc.Arbitrary<Value>): fc.Arbitrary<Value | Absent> {
  return weighted<Value | Absent>([18 - weight, fc.constant(undefined)], [2, oneOf<Absent>(null, '')], [weight, value]);
}

/** One item, sometimes up to three. */
function oneOrMore<Item>(item: fc.Arbitrary<Item>): fc.Arbitrary<Item[]> {
  const more = weighted<Item[]>([5, fc.constant([])], [1, fc.array(item, { minLength: 1, maxLength: 2 })]);
  return fc.tuple(item, more).map(([first, others]) => [first, ...others]);
}

/**
 * A reference to a source order. `granted`: one with a grant to an asset that the order names. `own`: a purchase of the
 * customer. `any`: any order, even this one.
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

const DAY_MS = 86_400_000;
/** Times that pass while the histories run, and a past one. */
const SOON = Date.now() + 15_000;
const PAST = 1_500_000_000_000;
/** Times that are within lead times. They are later than SOON at any time of a day, so that a replay is the same. */
const TOMORROW = Date.parse(new Date(SOON + DAY_MS).toISOString().slice(0, 10));
const LATER = TOMORROW + 363 * DAY_MS;

/** Few values, so that purchases and revocations often match. 0 is a valid time. */
const terms = {
  productUri: weighted([4, fc.constant('a')], [1, oneOf('b', 'c')]),
  limitStartDate: maybe(6, oneOf(0, 5)),
  limitEndDate: maybe(6, oneOf(4_000_000_000_009, 4_102_444_800_000, SOON, PAST, TOMORROW - 1, TOMORROW, LATER)),
  limitConcurrent: weighted([4, fc.constant(1)], [1, oneOf(0, 2)]),
};
const productToBuy = fc.record({ ...terms, srcLicenseOrderId: maybe(4, source) });
/** `aimed` picks a product on the asset and copies its terms. */
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
/** Nested packages, up to the maximum depth in rules 6.1. */
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

/**
 * A reference to a number. `own` and `any` pick from few numbers, `aimed` picks one of the customer's active assets.
 */
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
const toRevoke = { numbers: oneOrMore(numberToRevoke), isPadded };

/** Each is valid alone, but one may end before another starts when it replaces part of it. */
const LIMITS: Sent[] = [
  { limitStartDate: 0, limitEndDate: 4_000_000_000_005 },
  { limitStartDate: 4_000_000_000_009, limitEndDate: '' },
  { limitStartDate: null, limitEndDate: 4_000_000_000_005 },
  { limitEndDate: 253_402_300_799_999 },
  { limitEndDate: SOON },
  { limitEndDate: PAST },
  { limitEndDate: TOMORROW - 1 },
  { limitEndDate: TOMORROW },
  { limitEndDate: LATER },
  { limitStartDate: SOON, limitEndDate: 4_000_000_000_005 },
];
const assetToBuy = fc
  .record({
    ...toBuy,
    products: productsToBuy,
    merchandises: maybe(6, fc.array(merchandise, { maxLength: 2 })),
    transferedAssetNum: maybe(10, weighted([4, fc.constant(true)], [1, fc.constant(false)])),
    limits: weighted<Sent>([4, fc.constant({})], [1, oneOf<Sent>(...LIMITS)]),
    borrowedUsbKey: maybe(6, oneOf(true, true, false)),
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

/** A generated asset element. */
type RawElement = { numbers: RawNumber[]; isPadded: boolean } & Sent;

export interface RawOrder {
  orderType: string;
  /** Index of a customer (0 to 4). A revocation counts only owners of assets, if there are any. */
  customer: number | 'nobody';
  /** Whether to include customers that don't exist for the sender. */
  isForAnyone: boolean;
  enterprise: 'own' | 'other' | 'nobody';
  branchName: string;
  /** `fitting`: the type of the named asset, else the history's usual type. */
  licenseType: string;
  source: RawSource;
  /** Orders take effect by rank, then by their place in orderList. */
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
  branchName: oneOf('Branch', 'Elsewhere'),
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
 * An event before a batch: a channel is paused, or resumed if it is paused; S3 is bound; or the late customer is
 * created; or an act.
 */
export type RawEvent =
  | RawAct
  | { type: 'toggle'; channel: ChannelLabel }
  | { type: 'bind'; channels: ChannelLabel[] }
  | { type: 'create' };
const event: fc.Arbitrary<RawEvent> = weighted<RawEvent>(
  [4, fc.record({ type: fc.constant('toggle' as const), channel: oneOf(...CHANNELS) })],
  // Always includes A, the channel of its batches.
  [
    1,
    oneOf<ChannelLabel[]>(['A'], ['A', 'B'], ['A', 'B', 'C']).map((channels) => ({ type: 'bind' as const, channels })),
  ],
  [1, fc.constant({ type: 'create' as const })],
  [9, rawAct],
);
const events = weighted<RawEvent[]>([1, fc.constant([])], [1, fc.array(event, { minLength: 1, maxLength: 5 })]);
const race = weighted<RawAct | null>([2, fc.constant(null)], [1, rawAct]);
const sender = weighted<Sender>([4, fc.constant('S1')], [3, oneOf<Sender>('S2', 'S3')]);

export interface RawHistory {
  /** License type of most orders in this history. */
  usualType: string;
  batches: {
    mode: 'sync' | 'async';
    sender: Sender;
    events: RawEvent[];
    /** Sent together with a batch of one order. */
    race: RawAct | null;
    isLate: boolean;
    orders: RawOrder[];
  }[];
}

/** Raw histories that begin with a batch of purchases for later batches to work on. */
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
    race: fc.constant(null),
    isLate: fc.constant(false),
    orders: fc.array(purchase, { maxLength: 6, size: 'max' }),
  });
  const isLate = weighted([3, fc.constant(false)], [1, fc.constant(true)]);
  const batch = fc.record({ mode, sender, events, race, isLate, orders: fewOrMany(order) });
  return fc.record({
    usualType: weighted(
      [2, oneOf('normal_recover_usbkey', 'product_entity', 'softkey')],
      [1, oneOf('cloud_account', 'cloud_customer')],
    ),
    batches: fc
      .tuple(opening, fc.array(batch, { maxLength: maxBatches, size: 'max' }))
      .map(([first, others]) => [first, ...others].filter(({ orders }) => orders.length > 0)),
  });
}
