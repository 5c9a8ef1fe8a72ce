import type { Effects } from '@lockstep/assets';
import type { CustomerId } from '@lockstep/contract';

/** No effects yet, of a purchase of a customer or of a revocation (null). */
export function emptyEffects(purchaserId: CustomerId | null): Effects {
  return { purchaserId, assets: [], grants: [], merchandises: [], products: [] };
}

/** Counts the assets and product instances that effects create or revoke, for an order's result (rules 6.4). */
export function countEffects(effects: Effects): { assets: number; products: number } {
  const assets = effects.assets.filter(({ action }) => action === 'create' || action === 'revoke').length;
  return { assets, products: effects.products.length };
}
