import type { Effects } from '@lockstep/assets';
import type { Cause, Channels, CustomerId, LicenseOrderId, Order, Refusal } from '@lockstep/contract';

/** An order with the id that its acceptance gave it. */
export interface OrderWithId {
  licenseOrderId: LicenseOrderId;
  order: Order;
  /** The channels that its application is bound to; null if it is bound to none. Nothing of others exists for it. */
  channels: Channels;
}

/** The channels of an order whose customer did not exist for its application when it was accepted (rules 6.2). */
export const NOTHING_SEEN: Channels = [];

/** Whether an order fails with customer_not_found, whatever is there. */
export const seesNothing = ({ channels }: { channels: Channels }) => channels?.length === 0;

/** What became of an order (rules 6.2): a failed one has changed nothing. */
export interface Outcome {
  accepted: OrderWithId;
  failure: { cause: Cause; message: string } | null;
  /** How many assets, and product instances, the order created or revoked (rules 6.4). */
  assets: number;
  products: number;
}

/** The outcome of an order that was refused. */
export function failOrder(accepted: OrderWithId, refusal: Refusal): Outcome {
  return { accepted, failure: { cause: refusal.reason, message: refusal.message }, assets: 0, products: 0 };
}

/** No effects yet, of a purchase of a customer or of a revocation (null). */
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
