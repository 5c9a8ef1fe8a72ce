import type { Asset, Effects, Grant, Ledger } from '@lockstep/assets';
import {
  type Cause,
  type Channels,
  type CustomerId,
  formatPath,
  type LicenseOrderId,
  MAX_COUNTED,
  MAX_EXTENDED_ATTRIBUTES,
  MAX_INSTANCES,
  MAX_INSTANCES_ON_ASSET,
  MAX_INSTANCES_TOGETHER,
  type Order,
  Refusal,
} from '@lockstep/contract';

export interface OrderWithId {
  licenseOrderId: LicenseOrderId;
  order: Order;
  /**
   * The channels that its application is bound to; null if it is not bound. Customers of other channels don't exist for
   * it.
   */
  channels: Channels;
}

/** The outcome of an order (rules 6.2). A failed order has changed nothing. */
export interface Outcome {
  accepted: OrderWithId;
  failure: { cause: Cause; args: readonly string[] } | null;
  /** How many assets and product instances the order created or revoked (rules 6.4). */
  assets: number;
  products: number;
}

export function failOrder(accepted: OrderWithId, refusal: Refusal): Outcome {
  return { accepted, failure: { cause: refusal.reason, args: refusal.args }, assets: 0, products: 0 };
}

/** Returns empty effects, of a purchase by a customer or of a revocation (null). */
export function emptyEffects(purchaserId: CustomerId | null): Effects {
  return { purchaserId, assets: [], grants: [], merchandises: [], products: [], touched: 0 };
}

/** Counts the assets and product instances that effects create or revoke, for an order's result (rules 6.4). */
export function countEffects(effects: Effects): { assets: number; products: number } {
  const assets = effects.assets.filter(({ action }) => action === 'create' || action === 'revoke').length;
  const products = effects.grants.reduce(
    (sum, effect) => sum + (effect.action === 'revoke' ? effect.numbers.products : 0),
    effects.products.length,
  );
  return { assets, products };
}

/** Refuses an order whose customer, enterprise or source order does not match the ledger (rules 6.5). */
export function checkCustomer(ledger: Ledger, { order, channels }: OrderWithId): void {
  const { customerId, enterpriseGlobalId, srcLicenseOrderId } = order;
  const customer = ledger.customers.get(customerId);
  if (customer === undefined || !isVisible(ledger, channels, customerId)) {
    throw new Refusal('customer_not_found', customerId);
  }
  if (customer.enterpriseId !== enterpriseGlobalId) {
    throw new Refusal('enterprise_mismatch', customerId, enterpriseGlobalId);
  }
  if (srcLicenseOrderId === undefined) return;
  if (order.orderType === 'new_buy') {
    checkSource(ledger, channels, srcLicenseOrderId);
  } else if (ledger.customerOfPurchase.get(srcLicenseOrderId) !== customerId) {
    throw new Refusal('source_order_not_found', srcLicenseOrderId, customerId);
  }
}

/** Whether a customer exists for an application, which may be bound to channels (rules 2). */
export function isVisible(ledger: Ledger, channels: Channels, customerId: CustomerId): boolean {
  return channels === null || channels.includes(ledger.customers.get(customerId)!.channelCode);
}

/**
 * Refuses a source order that is not a succeeded purchase. For purchases and their products, it may be any customer's.
 * `place`: returns the path of the field if a product names it.
 */
export function checkSource(
  ledger: Ledger,
  channels: Channels,
  srcLicenseOrderId: LicenseOrderId,
  place = () => '',
): void {
  const customerId = ledger.customerOfPurchase.get(srcLicenseOrderId);
  if (customerId === undefined || !isVisible(ledger, channels, customerId)) {
    throw new Refusal('source_order_not_found', srcLicenseOrderId, '', place());
  }
}

export function checkLicenseType(asset: Asset, order: Order, { place }: Touched): void {
  if (asset.licenseType !== order.licenseType) {
    throw new Refusal('license_type_mismatch', asset.assetNum, asset.licenseType, order.licenseType, place);
  }
}

/** Returns the path of a part of an order, such as `assets[1].products[0]`. */
export function pathOf(order: Order, part: object, ...rest: PropertyKey[]): string {
  const find = (value: object, path: PropertyKey[]): PropertyKey[] | undefined => {
    if (value === part) return path;
    for (const [key, inner] of Object.entries(value)) {
      const found =
        typeof inner === 'object' && inner !== null && find(inner, [...path, Array.isArray(value) ? Number(key) : key]);
      if (found) return found;
    }
    return undefined;
  };
  return formatPath([...find(order, [])!, ...rest]);
}

/** Returns the grants of an asset. They must be loaded if it has any. */
export function grantsOf(asset: Asset): Grant[] {
  if (!asset.areGrantsLoaded) throw new Error(`grants of asset ${asset.assetNum} not loaded`);
  return asset.grants;
}

/** Returns how much is active on an asset. It must be counted, as it is if orders buy for it. */
export function activeOn({ active, assetNum }: Asset): NonNullable<Asset['active']> {
  if (active === null) throw new Error(`contents of asset ${assetNum} not counted`);
  return active;
}

/** How much orders may touch (rules 6.5 Size). */
export const LIMITS = {
  /** Active products and merchandise on one asset. The same limit applies to its grants. */
  onAsset: MAX_INSTANCES_ON_ASSET,
  codesOnAsset: MAX_EXTENDED_ATTRIBUTES,
  /**
   * Products and merchandise that one order creates, revokes or moves. The same limit applies to the grants of the
   * assets that it may revoke.
   */
  ofOrder: MAX_INSTANCES,
  /**
   * Products, merchandise and grants on the assets that a new_buy names, before it. Orders that run together count no
   * more together.
   */
  counted: MAX_COUNTED,
  /**
   * What orders that run together may touch, and about how much of each kind is read for them. At least `ofOrder` and
   * `onAsset` together (see loadContents).
   */
  together: MAX_INSTANCES_TOGETHER,
};

export type Limits = Readonly<Record<keyof typeof LIMITS, number>>;

/**
 * Counts what an order touches while it is planned, so that an order that is too large fails before it uses much
 * memory. Also knows which asset number is planned, because failures name it (rules 6.4).
 */
export class Touched {
  readonly #order: Order;
  readonly #limits: Limits;
  #element: Order['assets'][number] | undefined;
  #assetNum = '';
  #instances = 0;
  #grants = 0;
  #counted = 0;
  readonly #assets = new Set<Asset>();

  constructor(order: Order, limits: Limits) {
    this.#order = order;
    this.#limits = limits;
  }

  /** Notes that what follows is about an asset number of an element of the order. */
  startOn(element: Order['assets'][number], assetNum: string): void {
    this.#element = element;
    this.#assetNum = assetNum;
  }

  /** Returns the path of the asset number that is planned. */
  get place(): string {
    return pathOf(this.#order, this.#element!, 'assetNos', this.#element!.assetNos.indexOf(this.#assetNum));
  }

  get instances(): number {
    return this.#instances;
  }

  /** Adds products and merchandise. Throws a Refusal: order_too_large. */
  add(instances: number): void {
    this.#instances += instances;
    this.#requireAtMost(this.#instances, this.#limits.ofOrder, 'changes');
  }

  /** Adds the grants of an asset, once per order. Throws a Refusal: order_too_large. */
  addGrantsOf(asset: Asset): void {
    if (this.#assets.has(asset)) return;
    this.#assets.add(asset);
    this.#grants += grantsOf(asset).filter(({ revokedBy }) => revokedBy === null).length;
    this.#requireAtMost(this.#grants, this.#limits.ofOrder, 'grants_of_assets');
  }

  /** Adds what an asset holds before the order. Call it once for each asset. Throws a Refusal: order_too_large. */
  addHeldBy(asset: Asset): void {
    const { grants, contents } = activeOn(asset);
    this.#counted += grants + contents;
    this.#requireAtMost(this.#counted, this.#limits.counted, 'held');
  }

  #requireAtMost(count: number, limit: number, what: string): void {
    if (count > limit) throw new Refusal('order_too_large', limit, what, this.#assetNum, this.place);
  }
}

/**
 * Returns the refusal of a batch whose orders touch too much together (rules 6.5). `index`: the first order beyond the
 * limit.
 */
export function tooLarge(index: number): Refusal {
  const { together, counted } = LIMITS;
  return new Refusal('batch_too_large', `orderList[${index}]`, 'together', together, counted);
}
