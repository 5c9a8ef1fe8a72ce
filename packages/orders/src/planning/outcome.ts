import type { Effects } from '@lockstep/assets';
import type { Cause, Channels, CustomerId, LicenseOrderId, Order, Refusal } from '@lockstep/contract';

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
  failure: { cause: Cause; message: string } | null;
  /** How many assets and product instances the order created or revoked (rules 6.4). */
  assets: number;
  products: number;
}

export function failOrder(accepted: OrderWithId, refusal: Refusal): Outcome {
  return { accepted, failure: { cause: refusal.reason, message: refusal.message }, assets: 0, products: 0 };
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
