import { advance, dropLoaded, type Ledger, loadContents, loadLedger, Pace, readOldestProducts } from '@lockstep/assets';
import type { Refusal } from '@lockstep/contract';
import type { Trx } from '@lockstep/platform';
import { LargeWork, LIMITS, type Limits } from '../planning/limits.ts';
import { listOldest, MAX_CANDIDATES, ProductNotFound } from '../planning/matching.ts';
import { collectContents, collectNeeds } from '../planning/needs.ts';
import type { OrderWithId, Outcome } from '../planning/outcome.ts';
import { outcomeOf, type Planned, tryPlan } from '../planning/plan.ts';

/** Loads and locks what orders touch, and plans them, as applyOrders does, but stores nothing. */
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

/** For how many product_not_found failures of one call the nearest products are read. */
const MAX_HINTS = 500;

/** How much the orders may touch together. Large work may touch as much as a single order may. */
export interface Work {
  isLarge: boolean;
  /** For tests. */
  limits?: Limits;
}

/**
 * Plans orders one after the other; each sees the effects of those before it. Calls `look` with each before it plans
 * the next. Loads the contents of all their assets first if they are small, otherwise those of a few orders at a time.
 *
 * Large work stops before an order that would touch too much, or once much has been read (for failed orders, too).
 * Small work throws a LargeWork instead.
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
    // Awaits only promises: for thousands of orders, awaiting plain values costs as much as planning.
    for (const accepted of some) {
      const planning = pace.do(tryPlan(ledger, accepted, limits));
      let planned = planning instanceof Promise ? await planning : planning;
      if (planned.refusal === null) {
        if (!isLoaded) throw new Error('an order was planned on incomplete data');
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
