import type { Effects } from '@lockstep/assets';
import type { CustomerId } from '@lockstep/contract';

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
