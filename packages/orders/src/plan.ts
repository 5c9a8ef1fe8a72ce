import { advance, type Effects, type Ledger } from '@lockstep/assets';
import { Refusal } from '@lockstep/contract';
import { countEffects } from './effects.ts';
import { failOrder, type OrderWithId, type Outcome } from './outcome.ts';
import { checkCustomer } from './plan-checks.ts';
import { planNewBuy } from './plan-purchase.ts';
import { planDeleteAsset, planDeleteProduct } from './plan-revocation.ts';

/**
 * Plans what an order does to the ledger (rules 6.5). It reads the ledger and changes nothing: `advance` does.
 *
 * Throws the order's first fault as a Refusal, in the order customer, enterprise, source order, then elements, numbers
 * and products as they were sent.
 */
export function planOrder(ledger: Ledger, accepted: OrderWithId): Effects {
  checkCustomer(ledger, accepted);
  const { order } = accepted;
  switch (order.orderType) {
    case 'new_buy':
      return planNewBuy(ledger, accepted, order);
    case 'delete_asset':
      return planDeleteAsset(ledger, order);
    case 'delete_product':
      return planDeleteProduct(ledger, order);
  }
}

/** A planned order: what it does, or why it is refused. */
export type Planned =
  | { accepted: OrderWithId; effects: Effects; refusal: null }
  | { accepted: OrderWithId; effects: null; refusal: Refusal };

/** Plans orders one after the other on a ledger; each sees what the ones before it did. */
export function* planEach(ledger: Ledger, orders: readonly OrderWithId[]): Generator<Planned> {
  for (const accepted of orders) {
    let effects: Effects;
    try {
      effects = planOrder(ledger, accepted);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      yield { accepted, effects: null, refusal: error };
      continue;
    }
    advance(ledger, accepted.licenseOrderId, effects);
    yield { accepted, effects, refusal: null };
  }
}

/** Plans orders one after the other on a ledger, and returns what became of them. */
export function planAll(ledger: Ledger, orders: readonly OrderWithId[]): Outcome[] {
  return Array.from(planEach(ledger, orders), ({ accepted, effects, refusal }) =>
    refusal === null ? { accepted, failure: null, ...countEffects(effects) } : failOrder(accepted, refusal),
  );
}
