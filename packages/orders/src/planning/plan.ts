import { advance, type Effects, type Ledger } from '@lockstep/assets';
import { Refusal } from '@lockstep/contract';
import { checkCustomer } from './checks.ts';
import { LIMITS, type Limits } from './limits.ts';
import { countEffects, failOrder, type OrderWithId, type Outcome } from './outcome.ts';
import { planNewBuy } from './purchase.ts';
import { planDeleteAsset, planDeleteProduct } from './revocation.ts';

/**
 * Returns the effects of an order (rules 6.5). Does not change the ledger; `advance` does.
 *
 * Throws the order's first fault as a Refusal: it checks the customer, the enterprise and the source order, then
 * elements, asset numbers and products in the order sent. An order is too large as soon as it has touched too much.
 */
export function planOrder(ledger: Ledger, accepted: OrderWithId, limits: Limits = LIMITS): Effects {
  checkCustomer(ledger, accepted);
  const { order } = accepted;
  switch (order.orderType) {
    case 'new_buy':
      return planNewBuy(ledger, accepted, order, limits);
    case 'delete_asset':
      return planDeleteAsset(ledger, order, limits);
    case 'delete_product':
      return planDeleteProduct(ledger, order, limits);
  }
}

export type Planned =
  | { accepted: OrderWithId; effects: Effects; refusal: null }
  | { accepted: OrderWithId; effects: null; refusal: Refusal };

export function tryPlan(ledger: Ledger, accepted: OrderWithId, limits: Limits): Planned {
  try {
    return { accepted, effects: planOrder(ledger, accepted, limits), refusal: null };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { accepted, effects: null, refusal: error };
  }
}

export function outcomeOf({ accepted, effects, refusal }: Planned): Outcome {
  return refusal === null ? { accepted, failure: null, ...countEffects(effects) } : failOrder(accepted, refusal);
}

/** Plans orders one after the other on a ledger with everything loaded; each sees the effects of those before it. */
export function planAll(ledger: Ledger, orders: readonly OrderWithId[], limits: Limits = LIMITS): Outcome[] {
  return orders.map((accepted) => {
    const planned = tryPlan(ledger, accepted, limits);
    if (planned.refusal === null) advance(ledger, accepted.licenseOrderId, planned.effects);
    return outcomeOf(planned);
  });
}
