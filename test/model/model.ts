import type { Sent } from '../harness/orders/orders.ts';
import { findHappenings, type Happening } from './asset-history.ts';
import {
  type AssetValue,
  copyOf,
  isActive,
  type MerchandiseValue,
  merchandisesOn,
  type ProductValue,
  productsOn,
} from './ledger-value.ts';

/**
 * What orders do, once more (rules 6.5): one order at a time, on a copy of everything, slow and plain.
 *
 * It follows docs/rules.md and shares no code with the planner that it is compared to. What a comment quotes are the
 * words of that page; citations.test.ts holds them against it.
 */

/** An order as the channel sends it, with the id that it got. */
export interface PlacedOrder {
  licenseOrderId: string;
  body: Sent;
}

/** What became of an order: it succeeded where `cause` is null, but for one that waits while its channel is paused. */
export interface ModelOutcome {
  isWaiting?: true;
  cause: string | null;
  assets: number;
  products: number;
}

interface State {
  /** Every asset ever made. */
  assets: AssetValue[];
  /** The succeeded new_buy orders, and whose they are. */
  purchases: Record<string, string>;
  /** What happened to the assets, oldest first. */
  happenings: Happening[];
}

/** A customer: the id of its enterprise, and its channel. */
interface ModelCustomer {
  enterprise: string;
  channel: string;
}

/** An order that waits until its channel is resumed. */
interface Waiting {
  order: PlacedOrder;
  sender: string;
  channel: string;
  outcome: ModelOutcome;
}

/** A fault that makes an order fail. */
class Fault extends Error {}

function demand(holds: boolean, cause: string): asserts holds {
  if (!holds) throw new Fault(cause);
}

/** How much an asset holds and an order touches (rules 6.5 Size). */
export interface Limits {
  onAsset: number;
  codesOnAsset: number;
  ofOrder: number;
}

/**
 * "An asset holds at most 10,000 active products and merchandise, 10,000 grants and 100 extended attributes". "An order
 * touches at most 200,000 products and merchandise" (rules 6.5 Size).
 */
const LIMITS: Limits = { onAsset: 10_000, codesOnAsset: 100, ofOrder: 200_000 };

/** The rules with what they are applied to. */
export class Model {
  readonly #customers = new Map<string, ModelCustomer>();
  /** The channels that applications are bound to. */
  readonly #channelsOf = new Map<string, readonly string[] | null>();
  readonly #paused = new Set<string>();
  /** The orders that wait, oldest first. */
  readonly #waiting: Waiting[] = [];
  readonly #limits: Limits;
  #state: State = { assets: [], purchases: {}, happenings: [] };

  constructor(limits = LIMITS) {
    this.#limits = limits;
  }

  create(customerId: string, customer: ModelCustomer): void {
    this.#customers.set(customerId, customer);
  }

  /** Binds an application to channels, or to none with null, as it is before. */
  bind(sender: string, channels: readonly string[] | null): void {
    this.#channelsOf.set(sender, channels);
  }

  pause(channel: string): void {
    this.#paused.add(channel);
  }

  /** Carries out what waits in a channel, in the order of acceptance. */
  resume(channel: string): void {
    this.#paused.delete(channel);
    const isDue = (waiting: Waiting) => waiting.channel === channel;
    const due = this.#waiting.filter(isDue);
    this.#waiting.splice(0, Infinity, ...this.#waiting.filter((each) => !isDue(each)));
    for (const { order, sender, outcome } of due) {
      delete outcome.isWaiting;
      Object.assign(outcome, this.#order(order, this.#seenBy(sender)));
    }
  }

  /** The paused channel of a customer; undefined if there is none, or the customer does not exist for the sender. */
  pausedChannelOf(customerId: string, sender: string): string | undefined {
    const channel = this.#seenBy(sender).get(customerId)?.channel;
    return channel !== undefined && this.#paused.has(channel) ? channel : undefined;
  }

  /** Whether a customer exists for an application now. */
  isSeen(customerId: string, sender: string): boolean {
    const customer = this.#customers.get(customerId);
    const channels = this.#channelsOf.get(sender) ?? null;
    return customer !== undefined && (channels === null || channels.includes(customer.channel));
  }

  /** The customers that exist for an application now: "customers and assets of other channels do not exist for it". */
  #seenBy(sender: string): ReadonlyMap<string, ModelCustomer> {
    return new Map([...this.#customers].filter(([id]) => this.isSeen(id, sender)));
  }

  /**
   * Carries a batch out; the outcomes are in orderList order. Orders take effect by `sequence`. async: "Each order
   * succeeds or fails alone and is atomic". sync: "All orders of a call take effect in one transaction before the
   * answer, or none do"; each is tried nevertheless, so that every failed one can be named. A call of a customer whose
   * channel is paused does nothing, and its outcomes are those of a preview. An async order of such a customer waits;
   * its outcome is put right when it has its turn.
   */
  batch(mode: 'sync' | 'async', sender: string, orders: readonly PlacedOrder[]): ModelOutcome[] {
    const before = this.#state;
    const seen = this.#seenBy(sender);
    const outcomes = new Map<PlacedOrder, ModelOutcome>();
    const pausedOf = ({ body }: PlacedOrder) => this.pausedChannelOf(required(body.customerId), sender);
    const bySequence = orders.toSorted((a, b) => Number(a.body.sequence) - Number(b.body.sequence));
    for (const order of bySequence) {
      const channel = mode === 'async' ? pausedOf(order) : undefined;
      if (channel === undefined) outcomes.set(order, this.#order(order, seen));
      else {
        const outcome: ModelOutcome = { isWaiting: true, cause: null, assets: 0, products: 0 };
        this.#waiting.push({ order, sender, channel, outcome });
        outcomes.set(order, outcome);
      }
    }
    const results = orders.map((order) => outcomes.get(order)!);
    const isUndone = results.some(({ cause }) => cause !== null) || orders.some((each) => pausedOf(each) !== undefined);
    if (mode === 'sync' && isUndone) this.#state = before;
    return results;
  }

  /** Every asset ever made, with all that was ever on it. */
  get assets(): readonly AssetValue[] {
    return this.#state.assets;
  }

  /** What happened to them, oldest first. */
  get happenings(): readonly Happening[] {
    return this.#state.happenings;
  }

  /** "A failed order changes nothing" (rules 6.2 Alone). `seen`: the customers that exist for its application. */
  #order({ licenseOrderId, body }: PlacedOrder, seen: ReadonlyMap<string, ModelCustomer>): ModelOutcome {
    const { assets, purchases, happenings } = this.#state;
    const after: State = { assets: assets.map(copyOf), purchases: { ...purchases }, happenings };
    try {
      carryOut(after, seen, new Touched(this.#limits), licenseOrderId, body);
    } catch (fault) {
      if (!(fault instanceof Fault)) throw fault;
      return { cause: fault.message, assets: 0, products: 0 };
    }
    this.#state = { ...after, happenings: [...happenings, ...findHappenings(assets, after.assets, licenseOrderId)] };
    return { cause: null, ...countsOf(assets, after.assets) };
  }
}

/** "`assets` and `products` count what the order created or revoked." */
function countsOf(before: AssetValue[], after: AssetValue[]): { assets: number; products: number } {
  const madeAndRevoked = (things: { revokedBy: string | null }[]) =>
    things.length + things.filter((thing) => !isActive(thing)).length;
  const ofProducts = (assets: AssetValue[]) => madeAndRevoked(assets.flatMap(productsOn));
  return { assets: madeAndRevoked(after) - madeAndRevoked(before), products: ofProducts(after) - ofProducts(before) };
}

/**
 * What an order has touched so far ("creates, revokes, transfers"), and the grants that it may end; beyond the limits
 * "it is `order_too_large`".
 */
class Touched {
  readonly limits: Limits;
  #instances = 0;
  #grants = 0;
  readonly #assets = new Set<AssetValue>();

  constructor(limits: Limits) {
    this.limits = limits;
  }

  add(instances: number): void {
    this.#instances += instances;
    demand(this.#instances <= this.limits.ofOrder, 'order_too_large');
  }

  /** Counts the grants that were active on an asset when the order began, however often the order names it. */
  addGrants(asset: AssetValue, licenseOrderId: string): void {
    if (this.#assets.has(asset)) return;
    this.#assets.add(asset);
    const { grants } = asset;
    this.#grants += grants.filter((grant) => isActive(grant) || grant.revokedBy === licenseOrderId).length;
    demand(this.#grants <= this.limits.ofOrder, 'order_too_large');
  }
}

/** The active products and merchandises of an asset. */
const instancesOn = (asset: AssetValue) => [...productsOn(asset), ...merchandisesOn(asset)].filter(isActive);

/**
 * "A failed order reports its first fault: customer, enterprise, source order, then elements, numbers and products as
 * sent."
 */
function carryOut(
  state: State,
  seen: ReadonlyMap<string, ModelCustomer>,
  touched: Touched,
  licenseOrderId: string,
  order: Sent,
): void {
  const customer = required(order.customerId);
  // "`customerId` must exist at acceptance and at the order's turn" "and belong to `enterpriseGlobalId`".
  demand(seen.has(customer), 'customer_not_found');
  demand(seen.get(customer)!.enterprise === required(order.enterpriseGlobalId), 'enterprise_mismatch');
  // "A non-empty `srcLicenseOrderId` must be a succeeded `new_buy` order (`source_order_not_found`): of any customer in
  // a `new_buy`, which only records it; of this customer in a revocation".
  const source = text(order.srcLicenseOrderId);
  const isPurchase = order.orderType === 'new_buy';
  if (source !== null) {
    const owner = state.purchases[source];
    demand(isPurchase ? seen.has(owner!) : owner === customer, 'source_order_not_found');
  }

  const licenseType = required(order.licenseType);
  const numbered = elements(order.assets).flatMap((element) =>
    (element.assetNos as string[]).map((assetNum) => ({ element, assetNum: required(assetNum) })),
  );
  if (order.orderType === 'delete_product') {
    revokeProducts(state, touched, { licenseOrderId, customer, licenseType, source }, numbered);
  }
  for (const { element, assetNum } of numbered) {
    if (isPurchase) buy(state, touched, { licenseOrderId, customer, licenseType, seen }, assetNum, element);
    if (order.orderType !== 'delete_asset') continue;
    const asset = ownAsset(state, customer, licenseType, assetNum);
    touched.addGrants(asset, licenseOrderId);
    if (source === null) {
      touched.add(instancesOn(asset).length);
      revokeAsset(asset, licenseOrderId);
    } else revokeGrant(asset, touched, source, licenseOrderId);
  }
  if (isPurchase) state.purchases[licenseOrderId] = customer;
}

interface Named {
  licenseOrderId: string;
  customer: string;
  licenseType: string;
}

interface Purchase extends Named {
  seen: ReadonlyMap<string, ModelCustomer>;
}

/**
 * "Each number becomes an active asset of the customer, or the order adds to the customer's asset" (rules 6.5 new_buy).
 */
function buy(state: State, touched: Touched, purchase: Purchase, assetNum: string, element: Sent): void {
  let asset = activeAsset(state, assetNum);
  if (asset === undefined) {
    asset = newAsset(purchase, assetNum);
    state.assets.push(asset);
  } else if (asset.customer !== purchase.customer) {
    // "A number that is active at another customer is `asset_owned_by_other_customer`, unless `transferedAssetNum` is
    // true: then the asset moves to this customer with its contents".
    demand(element.transferedAssetNum === true, 'asset_owned_by_other_customer');
    // Customers and assets of other channels do not exist for an application that is bound to channels.
    demand(purchase.seen.has(asset.customer), 'asset_not_found');
  }
  // "The asset's license type must be the order's (`license_type_mismatch`), in a transfer too."
  demand(asset.licenseType === purchase.licenseType, 'license_type_mismatch');
  if (asset.customer !== purchase.customer) {
    touched.addGrants(asset, purchase.licenseOrderId);
    touched.add(instancesOn(asset).length);
    transfer(asset, purchase);
  }
  // "the order adds or replaces extend codes". An entry without a code names none; without a value it has an empty one.
  for (const { extendCode, extendValue } of elements(element.assetExtendList)) {
    const code = text(extendCode);
    if (code !== null) asset.extendCodes[code] = text(extendValue) ?? '';
  }
  // It "replaces given limits and `borrowedUsbKey`".
  asset.start = given(element.limitStartDate) ?? asset.start;
  asset.end = given(element.limitEndDate) ?? asset.end;
  asset.borrowed = given(element.borrowedUsbKey) ?? asset.borrowed;
  // "a start that then lies after its end is `dates_reversed`".
  demand(asset.start === null || asset.end === null || asset.start <= asset.end, 'dates_reversed');
  // An order has one grant to an asset, in however many elements it names it.
  // Beyond the limits "a `new_buy` is `asset_full`".
  if (!asset.grants.some(({ order }) => order === purchase.licenseOrderId)) {
    demand(asset.grants.filter(isActive).length < touched.limits.onAsset, 'asset_full');
    asset.grants.push({ order: purchase.licenseOrderId, revokedBy: null });
  }
  // A replaced attribute counts once.
  demand(Object.keys(asset.extendCodes).length <= touched.limits.codesOnAsset, 'asset_full');
  // "Products and merchandise become instances of this order on each asset, nested as sent."
  let room = touched.limits.onAsset - instancesOn(asset).length;
  const count = () => {
    demand(room > 0, 'asset_full');
    room--;
    touched.add(1);
  };
  const products = elements(element.products).map((each) => newProduct(state, count, purchase, each));
  const merchandises = elements(element.merchandises).map((each) => newMerchandise(state, count, purchase, each));
  asset.products.push(...products);
  asset.merchandises.push(...merchandises);
}

/**
 * "From then on this order's id stands for what came along in a revocation's `srcLicenseOrderId`", and "a transfer
 * leaves a row with both customers and the order".
 */
function transfer(asset: AssetValue, { licenseOrderId, customer }: Purchase): void {
  asset.transfers.push({ order: licenseOrderId, from: asset.customer, to: customer });
  asset.customer = customer;
  for (const grant of asset.grants.filter(isActive)) grant.revokedBy = licenseOrderId;
  for (const thing of [...productsOn(asset), ...merchandisesOn(asset)].filter(isActive)) thing.heldBy = licenseOrderId;
}

function newAsset({ customer, licenseType }: Purchase, assetNum: string): AssetValue {
  const terms = { start: null, end: null, borrowed: false, extendCodes: {} };
  return {
    assetNum,
    customer,
    licenseType,
    ...terms,
    revokedBy: null,
    transfers: [],
    grants: [],
    products: [],
    merchandises: [],
  };
}

/**
 * "A product's own `srcLicenseOrderId` must be a succeeded `new_buy` order (`source_order_not_found`) and is recorded."
 */
function newProduct(state: State, count: () => void, { licenseOrderId, seen }: Purchase, sent: Sent): ProductValue {
  const source = text(sent.srcLicenseOrderId);
  demand(source === null || seen.has(state.purchases[source]!), 'source_order_not_found');
  count();
  return {
    order: licenseOrderId,
    heldBy: licenseOrderId,
    productUri: required(sent.productUri),
    start: given(sent.limitStartDate),
    end: given(sent.limitEndDate),
    concurrent: sent.limitConcurrent as number,
    source,
    revokedBy: null,
  };
}

/** A merchandise instance with everything nested in it (rules 6.5 new_buy). */
function newMerchandise(state: State, count: () => void, purchase: Purchase, sent: Sent): MerchandiseValue {
  count();
  return {
    order: purchase.licenseOrderId,
    heldBy: purchase.licenseOrderId,
    merchandiseNum: required(sent.merchandiseNum),
    revokedBy: null,
    products: elements(sent.licenseOrderProductList).map((each) => newProduct(state, count, purchase, each)),
    children: elements(sent.children).map((each) => newMerchandise(state, count, purchase, each)),
  };
}

/**
 * "Each number must be an active asset of the customer (`asset_not_found`) with the order's license type
 * (`license_type_mismatch`)."
 */
function ownAsset(state: State, customer: string, licenseType: string, assetNum: string): AssetValue {
  const asset = activeAsset(state, assetNum);
  demand(asset?.customer === customer, 'asset_not_found');
  demand(asset.licenseType === licenseType, 'license_type_mismatch');
  return asset;
}

/** "Revoked rows keep the id of the order that revoked them" (rules 6.5 Records). */
function revoke(thing: { revokedBy: string | null }, licenseOrderId: string): void {
  thing.revokedBy ??= licenseOrderId;
}

/** Without a source order: "it revokes the asset and its contents" (rules 6.5 delete_asset). */
function revokeAsset(asset: AssetValue, by: string): void {
  for (const thing of [asset, ...asset.grants, ...productsOn(asset), ...merchandisesOn(asset)]) revoke(thing, by);
}

/**
 * "With `srcLicenseOrderId`, that order must have granted to the asset (`asset_not_in_source_order`); it revokes that
 * order's contents, and the asset if no other grant is left." "A grant outlives its products: only a `delete_asset` of
 * its order, or of the asset, ends it."
 */
function revokeGrant(asset: AssetValue, touched: Touched, source: string, by: string): void {
  const grant = asset.grants.find((each) => isActive(each) && each.order === source);
  demand(grant !== undefined, 'asset_not_in_source_order');
  touched.add(instancesOn(asset).filter(({ heldBy }) => heldBy === source).length);
  revoke(grant, by);
  for (const thing of [...productsOn(asset), ...merchandisesOn(asset)]) if (thing.heldBy === source) revoke(thing, by);
  if (!asset.grants.some(isActive)) revokeAsset(asset, by);
}

interface Revocation extends Named {
  source: string | null;
}

/**
 * "For each product, the order revokes the asset's active product instances with the same `productUri`, also inside
 * merchandise; with `srcLicenseOrderId` only that order's". "Products match what was active when the order began. No
 * match is `product_not_found`". "The asset stays active", and so do its grants.
 */
function revokeProducts(
  state: State,
  touched: Touched,
  { licenseOrderId, customer, licenseType, source }: Revocation,
  numbered: { element: Sent; assetNum: string }[],
): void {
  const doomed = new Set<ProductValue | MerchandiseValue>();
  for (const { element, assetNum } of numbered) {
    const asset = ownAsset(state, customer, licenseType, assetNum);
    touched.addGrants(asset, licenseOrderId);
    for (const sent of elements(element.products)) {
      const found = productsOn(asset).filter(
        (product) => isActive(product) && (source === null || product.heldBy === source) && matches(product, sent),
      );
      demand(found.length > 0, 'product_not_found');
      const before = doomed.size;
      for (const product of found) doomed.add(product);
      for (const each of asset.merchandises) doomIfEmptied(each, doomed);
      touched.add(doomed.size - before);
    }
  }
  for (const thing of doomed) revoke(thing, licenseOrderId);
}

/** "A merchandise ends with the last product and merchandise in it." One that never held any has none to end with. */
function doomIfEmptied(merchandise: MerchandiseValue, doomed: Set<ProductValue | MerchandiseValue>): void {
  for (const child of merchandise.children) doomIfEmptied(child, doomed);
  const contents = [...merchandise.products, ...merchandise.children];
  const isLeft = (thing: ProductValue | MerchandiseValue) => isActive(thing) && !doomed.has(thing);
  if (isActive(merchandise) && contents.length > 0 && !contents.some(isLeft)) doomed.add(merchandise);
}

/**
 * "with `strictMatchWhenDelete` only if `limitStartDate`, `limitEndDate` and `limitConcurrent` all equal; absent equals
 * absent."
 */
function matches(product: ProductValue, sent: Sent): boolean {
  if (product.productUri !== text(sent.productUri)) return false;
  if (sent.strictMatchWhenDelete !== true) return true;
  return (
    product.start === given(sent.limitStartDate) &&
    product.end === given(sent.limitEndDate) &&
    product.concurrent === sent.limitConcurrent
  );
}

/** "A number names at most one active asset." */
function activeAsset(state: State, assetNum: string): AssetValue | undefined {
  return state.assets.find((asset) => isActive(asset) && asset.assetNum === assetNum);
}

/** "An empty string counts as missing, and null as absent" (rules 4 Empty values); texts are trimmed. */
const text = (value: unknown) => (typeof value === 'string' && value.trim() !== '' ? value.trim() : null);
const required = (value: unknown) => text(value)!;
const given = <Value extends number | boolean>(value: unknown) =>
  value === undefined || value === null || value === '' ? null : (value as Value);
const elements = (value: unknown) => (Array.isArray(value) ? (value as Sent[]) : []);
