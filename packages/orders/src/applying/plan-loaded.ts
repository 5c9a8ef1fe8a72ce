import { advance, type Ledger, loadContents, loadLedger, readOldestProducts } from '@lockstep/assets';
import type { Refusal } from '@lockstep/contract';
import type { Trx } from '@lockstep/platform';
import { LIMITS, type Limits } from '../planning/limits.ts';
import { listOldest, MAX_CANDIDATES, ProductNotFound } from '../planning/matching.ts';
import { collectContents, collectNeeds } from '../planning/needs.ts';
import type { OrderWithId, Outcome } from '../planning/outcome.ts';
import { outcomeOf, type Planned, tryPlan } from '../planning/plan.ts';

/** Loads and locks what orders touch, and plans them, as applyOrders does, but stores nothing. */
export async function planOnLoaded(
  trx: Trx,
  orders: readonly OrderWithId[],
  limits: Limits = LIMITS,
): Promise<{ ledger: Ledger; outcomes: Outcome[] }> {
  const ledger = await loadLedger(trx, collectNeeds(orders));
  const planned = await planOrders(trx, ledger, orders, limits);
  return { ledger, outcomes: planned.map(outcomeOf) };
}

/** For how many product_not_found failures of orders that run together the nearest products are read. */
const MAX_HINTS = 500;

/**
 * Plans orders one after the other; each sees the effects of those before it. First loads the contents of assets that
 * they need. If they would touch or read too much together (rules 6.5 Together), it plans only the first ones.
 */
export async function planOrders(
  trx: Trx,
  ledger: Ledger,
  orders: readonly OrderWithId[],
  limits: Limits = LIMITS,
): Promise<Planned[]> {
  let some = orders;
  let isLoaded = false;
  for (;;) {
    isLoaded = await loadContents(trx, collectContents(ledger, some), limits);
    if (isLoaded || some.length === 1) break;
    some = some.slice(0, Math.ceil(some.length / 2));
  }
  const hints = new Hints(trx, ledger);
  const planned: Planned[] = [];
  let touched = 0;
  for (const accepted of some) {
    const each = tryPlan(ledger, accepted, limits);
    if (each.refusal === null) {
      if (!isLoaded) throw new Error('an order was planned on incomplete data');
      touched += each.effects.touched;
      if (touched > limits.together && planned.length > 0) break;
      advance(ledger, accepted.licenseOrderId, each.effects);
      planned.push(each);
    } else planned.push({ ...each, refusal: await hints.complete(each.refusal) });
  }
  return planned;
}

/** Adds the nearest products to refusals. */
class Hints {
  readonly #trx: Trx;
  readonly #ledger: Ledger;
  #read = 0;

  constructor(trx: Trx, ledger: Ledger) {
    this.#trx = trx;
    this.#ledger = ledger;
  }

  async complete(refusal: Refusal): Promise<Refusal> {
    if (!(refusal instanceof ProductNotFound) || refusal.asset.id === null || this.#read === MAX_HINTS) return refusal;
    this.#read++;
    const { asset, wanted } = refusal;
    const stored = await readOldestProducts(this.#trx, this.#ledger, asset, MAX_CANDIDATES);
    const created = asset.products.filter(({ id }) => id === null);
    return new ProductNotFound(asset, wanted, listOldest([...stored, ...created]));
  }
}
