import type { Sent } from '../harness/orders/orders.ts';
import { type Act, Administrator, type HoldingValue, release, stop } from './acts.ts';
import { findHappenings, findHeld, findStops, type Happening } from './asset-history.ts';
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
 * A second implementation of what orders do (rules 6.5). It applies one order at a time to a copy of everything, so it
 * is slow and simple.
 *
 * It follows docs/rules.md and shares no code with the planner that it is compared with. Comments quote that page;
 * citations.test.ts compares the quotations with it.
 */

/** An order as the channel sends it, with its id. */
export interface PlacedOrder {
  licenseOrderId: string;
  body: Sent;
}

/** An order's outcome. It succeeded if `cause` is null, unless it waits in a paused channel. */
export interface ModelOutcome {
  isWaiting?: true;
  cause: string | null;
  assets: number;
  products: number;
}

interface State {
  /** All assets, active and revoked. */
  assets: AssetValue[];
  /** The customer of each succeeded new_buy order. */
  purchases: Record<string, string>;
  /** Assignments and loans, current and ended. */
  holdings: HoldingValue[];
  /** What the newest order of each customer said of who buys, and the order that first said so. */
  contacts: Record<string, { order: string; branchName: unknown }>;
  /** History of the assets, oldest first. */
  happenings: Happening[];
}

/** A customer's enterprise id and channel. */
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

/** Makes an order fail. Its message is the cause. */
class Fault extends Error {}

function demand(holds: boolean, cause: string): asserts holds {
  if (!holds) throw new Fault(cause);
}

/** Limits of what an asset holds and an order touches (rules 6.5 Size). */
export interface Limits {
  onAsset: number;
  codesOnAsset: number;
  ofOrder: number;
  counted: number;
}

/**
 * "An asset holds at most 2,000 active products and merchandise, 2,000 grants and 100 extended attributes". "An order
 * touches at most 10,000 products and merchandise". "the assets that a `new_buy` names hold at most 100,000 products,
 * merchandise and grants" (rules 6.5 Size).
 */
const LIMITS: Limits = { onAsset: 2_000, codesOnAsset: 100, ofOrder: 10_000, counted: 100_000 };

/** The rules, with the state that they apply to. */
export class Model {
  readonly #customers = new Map<string, ModelCustomer>();
  /** Channels of bound applications; null or absent if unbound. */
  readonly #channelsOf = new Map<string, readonly string[] | null>();
  readonly #paused = new Set<string>();
  /** Waiting orders, oldest first. */
  readonly #waiting: Waiting[] = [];
  readonly #limits: Limits;
  /** Enterprises of employees. */
  readonly #employers = new Map<string, string>();
  #state: State = { assets: [], purchases: {}, holdings: [], contacts: {}, happenings: [] };

  constructor(limits = LIMITS) {
    this.#limits = limits;
  }

  create(customerId: string, customer: ModelCustomer): void {
    this.#customers.set(customerId, customer);
  }

  hire(memberId: string, enterprise: string): void {
    this.#employers.set(memberId, enterprise);
  }

  /** Returns the enterprise of a customer or employee. */
  enterpriseOf(id: string): string | undefined {
    return this.#customers.get(id)?.enterprise ?? this.#employers.get(id);
  }

  /** Binds an application to channels. Null, the initial state, unbinds it. */
  bind(sender: string, channels: readonly string[] | null): void {
    this.#channelsOf.set(sender, channels);
  }

  pause(channel: string): void {
    this.#paused.add(channel);
  }

  /** Applies a channel's waiting orders in the order of acceptance. */
  resume(channel: string): void {
    this.#paused.delete(channel);
    const isDue = (waiting: Waiting) => waiting.channel === channel;
    const due = this.#waiting.filter(isDue);
    this.#waiting.splice(0, Infinity, ...this.#waiting.filter((each) => !isDue(each)));
    for (const { order, sender, outcome } of due) {
      delete outcome.isWaiting;
      Object.assign(outcome, this.#order(order, sender, this.#seenBy(sender)));
    }
  }

  /** Returns a customer's channel if it is paused and the customer exists for the sender. */
  pausedChannelOf(customerId: string, sender: string): string | undefined {
    const channel = this.#seenBy(sender).get(customerId)?.channel;
    return channel !== undefined && this.#paused.has(channel) ? channel : undefined;
  }

  /** Whether a customer currently exists for an application. */
  isSeen(customerId: string, sender: string): boolean {
    const customer = this.#customers.get(customerId);
    const channels = this.#channelsOf.get(sender) ?? null;
    return customer !== undefined && (channels === null || channels.includes(customer.channel));
  }

  /**
   * The customers that currently exist for an application: "customers and assets of other channels do not exist for
   * it".
   */
  #seenBy(sender: string): ReadonlyMap<string, ModelCustomer> {
    return new Map([...this.#customers].filter(([id]) => this.isSeen(id, sender)));
  }

  /**
   * Applies a batch and returns outcomes in the order of orderList. Orders take effect by `sequence`.
   * async: "Each order succeeds or fails alone and is atomic". An order in a paused channel waits; the model updates
   * its outcome when it is applied.
   * sync: "All orders of a call take effect in one transaction before the answer, or none do". The model tries each
   * order, to find all that fail. If a channel is paused, nothing changes and the outcomes are those of a preview.
   */
  batch(mode: 'sync' | 'async', sender: string, orders: readonly PlacedOrder[]): ModelOutcome[] {
    const before = this.#state;
    const seen = this.#seenBy(sender);
    const outcomes = new Map<PlacedOrder, ModelOutcome>();
    const pausedOf = ({ body }: PlacedOrder) => this.pausedChannelOf(required(body.customerId), sender);
    const bySequence = orders.toSorted((a, b) => Number(a.body.sequence) - Number(b.body.sequence));
    for (const order of bySequence) {
      const channel = mode === 'async' ? pausedOf(order) : undefined;
      if (channel === undefined) outcomes.set(order, this.#order(order, sender, seen));
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

  /** All assets, active and revoked, with everything they ever held. */
  get assets(): readonly AssetValue[] {
    return this.#state.assets;
  }

  /** History of the assets, oldest first. */
  get happenings(): readonly Happening[] {
    return this.#state.happenings;
  }

  get holdings(): readonly HoldingValue[] {
    return this.#state.holdings;
  }

  get contacts(): Readonly<State['contacts']> {
    return this.#state.contacts;
  }

  /** Returns a function that undoes what has been applied since. */
  mark(): () => void {
    const state = this.#state;
    return () => {
      this.#state = state;
    };
  }

  /** Applies an act and returns the answer: statuses, causes, or whether there was a contact. */
  act(act: Act): unknown {
    const before = this.#state;
    this.#state = copyOfState(before);
    const { assets, holdings, contacts, happenings } = this.#state;
    if (act.type === 'erase') {
      const isThere = act.customer in contacts;
      delete contacts[act.customer];
      return [isThere];
    }
    if (act.type === 'configure' || act.type === 'lend') {
      const isOwn = (id: string) => this.enterpriseOf(id) === act.enterprise;
      const administrator = new Administrator({ assets, holdings }, act.by, isOwn);
      const answer = act.type === 'lend' ? [administrator.lend(act)] : administrator.configureAll(act.entries);
      this.#state.happenings = [...happenings, ...findHeld(before.assets, before.holdings, holdings)];
      return answer;
    }
    const statuses = act.assetNums.map((assetNum) => {
      const asset = activeAsset(this.#state, assetNum);
      return stop(asset && this.isSeen(asset.customer, act.sender) ? asset : undefined, act.type);
    });
    const cause = { sender: act.sender, call: `call ${happenings.length}` };
    const stops = findStops(before.assets, assets).map((each) => ({ ...each, cause }));
    this.#state.happenings = [...happenings, ...stops];
    return statuses;
  }

  /** "A failed order changes nothing" (rules 6.2 Alone). `seen` are the customers that exist for the application. */
  #order(order: PlacedOrder, sender: string, seen: ReadonlyMap<string, ModelCustomer>): ModelOutcome {
    const { licenseOrderId, body } = order;
    const { assets, holdings, happenings } = this.#state;
    const after = copyOfState(this.#state);
    try {
      carryOut(after, seen, new Touched(this.#limits), licenseOrderId, body);
    } catch (fault) {
      if (!(fault instanceof Fault)) throw fault;
      return { cause: fault.message, assets: 0, products: 0 };
    }
    const ended = findHeld(assets, holdings, after.holdings);
    const cause = { sender, call: licenseOrderId };
    const happened = findHappenings(assets, after.assets, licenseOrderId).map((each) => ({ ...each, cause }));
    this.#state = { ...after, happenings: [...happenings, ...ended, ...happened] };
    return { cause: null, ...countsOf(assets, after.assets) };
  }
}

const copyOfState = (state: State): State => ({
  ...state,
  assets: state.assets.map(copyOf),
  purchases: { ...state.purchases },
  holdings: state.holdings.map((each) => ({ ...each })),
  contacts: { ...state.contacts },
});

/** "`assets` and `products` count what the order created or revoked." */
function countsOf(before: AssetValue[], after: AssetValue[]): { assets: number; products: number } {
  const madeAndRevoked = (things: { revokedBy: string | null }[]) =>
    things.length + things.filter((thing) => !isActive(thing)).length;
  const ofProducts = (assets: AssetValue[]) => madeAndRevoked(assets.flatMap(productsOn));
  return { assets: madeAndRevoked(after) - madeAndRevoked(before), products: ofProducts(after) - ofProducts(before) };
}

/**
 * Counts what an order has touched so far ("creates, revokes, transfers") and the grants that it may end. Beyond the
 * limits "it is `order_too_large`".
 */
class Touched {
  readonly limits: Limits;
  #instances = 0;
  #grants = 0;
  #held = 0;
  readonly #assets = new Set<AssetValue>();
  readonly #bought = new Set<AssetValue>();

  constructor(limits: Limits) {
    this.limits = limits;
  }

  add(instances: number): void {
    this.#instances += instances;
    demand(this.#instances <= this.limits.ofOrder, 'order_too_large');
  }

  /** Adds the grants that were active on an asset when the order began, once for each asset. */
  addGrants(asset: AssetValue, licenseOrderId: string): void {
    if (this.#assets.has(asset)) return;
    this.#assets.add(asset);
    const { grants } = asset;
    this.#grants += grants.filter((grant) => isActive(grant) || grant.revokedBy === licenseOrderId).length;
    demand(this.#grants <= this.limits.ofOrder, 'order_too_large');
  }

  /**
   * Adds what an asset held when the order began. "However often an order names an asset or an attribute, it counts
   * once".
   */
  addHeld(asset: AssetValue): void {
    if (this.#bought.has(asset)) return;
    this.#bought.add(asset);
    this.#held += instancesOn(asset).length + asset.grants.filter(isActive).length;
    demand(this.#held <= this.limits.counted, 'order_too_large');
  }
}

/** The active products and merchandise of an asset. */
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
    // "A revoked asset is released."
    if (!isActive(asset)) releaseBy(state, asset, licenseOrderId);
  }
  // "`licenseOrderId` and `updatedTime` are those of the order that first said so."
  const { branchName } = order;
  if (state.contacts[customer]?.branchName !== branchName)
    state.contacts[customer] = { order: licenseOrderId, branchName };
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
    // "With it, a number without an active asset is `asset_not_found`".
    demand(element.transferedAssetNum !== true, 'asset_not_found');
    asset = newAsset(purchase, assetNum);
    state.assets.push(asset);
  } else if (asset.customer !== purchase.customer) {
    // "If another customer's active asset has the number, that is `asset_owned_by_other_customer`, unless
    // `transferedAssetNum` is true: then the asset moves to this customer with its contents".
    demand(element.transferedAssetNum === true, 'asset_owned_by_other_customer');
    // To an application bound to channels, customers and assets of other channels do not exist.
    demand(purchase.seen.has(asset.customer), 'asset_not_found');
  }
  // "The asset's license type must be the order's (`license_type_mismatch`), in a transfer too."
  demand(asset.licenseType === purchase.licenseType, 'license_type_mismatch');
  touched.addHeld(asset);
  if (asset.customer !== purchase.customer) {
    touched.addGrants(asset, purchase.licenseOrderId);
    touched.add(instancesOn(asset).length);
    transfer(asset, purchase);
    // "then the asset moves to this customer with its contents, and is released"
    releaseBy(state, asset, purchase.licenseOrderId);
  }
  // "the order adds or replaces extend codes". An entry without a code is ignored. Without a value, its value is empty.
  for (const { extendCode, extendValue } of elements(element.assetExtendList)) {
    const code = text(extendCode);
    if (code !== null) asset.extendCodes[code] = text(extendValue) ?? '';
  }
  // It "replaces given limits and `borrowedUsbKey`".
  asset.start = given(element.limitStartDate) ?? asset.start;
  asset.end = given(element.limitEndDate) ?? asset.end;
  // "The latest time of 4 as an asset's `limitEndDate` means that it has no end."
  if (asset.end === 253_402_300_799_999) asset.end = null;
  // "changing that releases the asset"
  const borrowed = given<boolean>(element.borrowedUsbKey) ?? asset.borrowed;
  if (borrowed !== asset.borrowed) releaseBy(state, asset, purchase.licenseOrderId);
  asset.borrowed = borrowed;
  // "a start that then lies after its end is `dates_reversed`".
  demand(asset.start === null || asset.end === null || asset.start <= asset.end, 'dates_reversed');
  // An order has one grant to an asset, even if several elements name it. Beyond the limits "a `new_buy` is
  // `asset_full`".
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

function releaseBy(state: State, asset: AssetValue, order: string): void {
  release(state.holdings, state.assets.indexOf(asset), { order, by: null });
}

/**
 * "From then on, a revocation of what came along names this order as `srcLicenseOrderId`", and "a transfer leaves
 * a row with both customers and the order".
 */
function transfer(asset: AssetValue, { licenseOrderId, customer }: Purchase): void {
  asset.transfers.push({ order: licenseOrderId, from: asset.customer, to: customer });
  asset.customer = customer;
  for (const grant of asset.grants.filter(isActive)) grant.revokedBy = licenseOrderId;
  for (const thing of [...productsOn(asset), ...merchandisesOn(asset)].filter(isActive)) thing.heldBy = licenseOrderId;
}

function newAsset({ customer, licenseType }: Purchase, assetNum: string): AssetValue {
  const terms = { start: null, end: null, borrowed: false, stopped: null, extendCodes: {} };
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

/** Creates a merchandise instance with its contents (rules 6.5 new_buy). */
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
 * "For each product, the order revokes the asset's active product instances with the same `productUri`, including
 * those inside merchandise; with `srcLicenseOrderId` only that order's". "Only products that were active when the order
 * began can match. No match is `product_not_found`". "The asset stays active", and so do its grants.
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

/** "Merchandise ends with the last product and merchandise in it." One that was always empty stays active. */
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

/** "An empty string counts as missing, and null as absent" (rules 4 Empty values); strings are trimmed. */
const text = (value: unknown) => (typeof value === 'string' && value.trim() !== '' ? value.trim() : null);
const required = (value: unknown) => text(value)!;
const given = <Value extends number | boolean>(value: unknown) =>
  value === undefined || value === null || value === '' ? null : (value as Value);
const elements = (value: unknown) => (Array.isArray(value) ? (value as Sent[]) : []);
