import { advance, dropLoaded, type Ledger, loadContents, loadLedger, Pace, readOldestProducts } from '@lockstep/assets';
import type { Refusal } from '@lockstep/contract';
import type { Trx } from '@lockstep/platform';
import { LargeWork, LIMITS, type Limits } from '../planning/limits.ts';
import { listOldest, MAX_CANDIDATES, ProductNotFound } from '../planning/matching.ts';
import { collectContents, collectNeeds } from '../planning/needs.ts';
import type { OrderWithId, Outcome } from '../planning/outcome.ts';
import { outcomeOf, type Planned, tryPlan } from '../planning/plan.ts';

/** Loads what orders touch, locks it, and plans them on it, as applyOrders does. Nothing is stored. */
export async function planOnLoaded(
  trx: Trx,
  orders: readonly OrderWithId[],
  work: Work,
): Promise<{ ledger: Ledger; outcomes: Outcome[] }> {
  const ledger = await loadLedger(trx, collectNeeds(orders));
  const outcomes: Outcome[] = [];
  await planEach(trx, ledger, orders, work, (planned) => {
    outcomes.push(outcomeOf(planned));
  });
  return { ledger, outcomes };
}

/** Not-found products of one run whose nearest ones are read. */
const MAX_HINTS = 500;

/** How much orders may touch together: as much as one of them, for work that has a turn. */
export interface Work {
  isLarge: boolean;
  /** Other limits than the product's, for tests. */
  limits?: Limits;
}

/**
 * Plans orders one after the other; each sees what the ones before it did. `look` gets each of them before the next one
 * is planned. What is on their assets is loaded before their turn: for all of them if that is little, else for some at
 * a time, and what was not needed is forgotten.
 *
 * Large work ends before an order that would make it touch too much, or when much was read for orders: those that fail
 * touch nothing. Small work throws a LargeWork instead.
 */
export async function planEach(
  trx: Trx,
  ledger: Ledger,
  orders: readonly OrderWithId[],
  { isLarge, limits = LIMITS }: Work,
  look: (planned: Planned) => Promise<void> | void,
): Promise<void> {
  const hints = new Hints(trx, ledger);
  let touched = 0;
  let read = 0;
  const pace = new Pace();
  let size = orders.length;
  for (let first = 0; first < orders.length; ) {
    const some = orders.slice(first, first + size);
    const isAlone = some.length === 1;
    const limit = isLarge && isAlone ? limits.ofOrder : limits.small;
    const loaded = await loadContents(trx, ledger, await pace.do(collectContents(ledger, some)), limit);
    const isLoaded = loaded.isComplete;
    if (!isLoaded && !isAlone) {
      dropLoaded(ledger);
      size = Math.ceil(some.length / 2);
      continue;
    }
    read += loaded.read;
    if (read > limits.small && !isLarge) throw new LargeWork();
    // Only promises are waited for: for thousands of orders, to wait costs as much as to plan.
    for (const accepted of some) {
      const planning = pace.do(tryPlan(ledger, accepted, limits));
      let planned = planning instanceof Promise ? await planning : planning;
      if (planned.refusal === null) {
        if (!isLoaded) throw new Error('An order was planned without all that it needs');
        touched += planned.effects.touched;
        if (touched > limits.small && !isLarge) throw new LargeWork();
        if (touched > limits.ofOrder) return;
        const advancing = pace.do(advance(ledger, accepted.licenseOrderId, planned.effects));
        if (advancing instanceof Promise) await advancing;
      } else planned = { ...planned, refusal: await hints.complete(planned.refusal) };
      const looking = look(planned);
      if (looking instanceof Promise) await looking;
    }
    if (read > limits.read) return;
    first += some.length;
    size *= 2;
    if (first < orders.length) dropLoaded(ledger);
  }
}

/** Says of products that were not found what the nearest ones have: it reads the oldest of the asset for that. */
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
