import {
  advance,
  type Ledger,
  type LedgerIds,
  loadContents,
  loadLedger,
  readOldestProducts,
  writeLedger,
} from '@lockstep/assets';
import type { Refusal } from '@lockstep/contract';
import { insertRows, type Trx } from '@lockstep/platform';
import { recordAssetChanges } from '../feed/asset-changes.ts';
import { listOldest, MAX_CANDIDATES, ProductNotFound } from '../planning/matching.ts';
import { LIMITS, type Limits, type OrderWithId, type Outcome } from '../planning/order.ts';
import { collectContents, collectNeeds, noteContact, outcomeOf, type Planned, tryPlan } from '../planning/plan.ts';

/**
 * Applies orders: loads and locks the part of the ledger that they touch, plans them, and stores their effects and
 * outcomes. Returns the outcomes. If they would touch too much together, the last ones have no outcome (see
 * planOrders). `accept` may throw, before anything is stored.
 */
export async function applyOrders(
  trx: Trx,
  orders: readonly OrderWithId[],
  ids: LedgerIds,
  accept: (outcomes: readonly Outcome[]) => void = () => {},
): Promise<Outcome[]> {
  const { ledger, outcomes } = await planOnLoaded(trx, orders);
  accept(outcomes);
  await storeApplied(trx, ledger, outcomes, ids);
  return outcomes;
}

/** Loads and locks what orders touch, and plans them, but stores nothing. */
export async function planOnLoaded(
  trx: Trx,
  orders: readonly OrderWithId[],
  limits: Limits = LIMITS,
): Promise<{ ledger: Ledger; outcomes: Outcome[] }> {
  const ledger = await loadLedger(trx, collectNeeds(orders));
  const planned = await planOrders(trx, ledger, orders, limits);
  return { ledger, outcomes: planned.map(outcomeOf) };
}

/** Stores outcomes, effects and their events. Outcomes come first, because grants refer to them. */
export async function storeApplied(
  trx: Trx,
  ledger: Ledger,
  outcomes: readonly Outcome[],
  ids: LedgerIds,
): Promise<void> {
  await recordOutcomes(trx, outcomes);
  await writeLedger(trx, ledger, ids);
  await recordAssetChanges(trx, ledger);
}

/** Stores outcomes. Throws if an order already has one, so that no order takes effect twice. */
export async function recordOutcomes(trx: Trx, outcomes: readonly Outcome[]): Promise<void> {
  await insertRows(trx, 'license_order', [
    ['id', 'bigint', outcomes.map(({ accepted }) => accepted.licenseOrderId)],
    ['order_type', 'text', outcomes.map(({ accepted }) => accepted.order.orderType)],
    ['customer_id', 'text', outcomes.map(({ accepted }) => accepted.order.customerId)],
    ['cause', 'text', outcomes.map(({ failure }) => failure?.cause ?? null)],
    ['args', 'jsonb', outcomes.map(({ failure }) => failure && JSON.stringify(failure.args))],
    ['assets', 'integer', outcomes.map(({ assets }) => assets)],
    ['products', 'integer', outcomes.map(({ products }) => products)],
    ['src_license_order_id', 'bigint', outcomes.map(sourceOf)],
  ]);
}

/** Returns the source order of an order that succeeded. A failed order may have named one that doesn't exist. */
function sourceOf({ accepted, failure }: Outcome): string | null {
  return failure === null ? (accepted.order.srcLicenseOrderId ?? null) : null;
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
  let hints = 0;
  const planned: Planned[] = [];
  let touched = 0;
  for (const accepted of some) {
    const each = tryPlan(ledger, accepted, limits);
    if (each.refusal === null) {
      if (!isLoaded) throw new Error('an order was planned on incomplete data');
      touched += each.effects.touched;
      if (touched > limits.together && planned.length > 0) break;
      advance(ledger, accepted.licenseOrderId, each.effects);
      noteContact(ledger, accepted);
      planned.push(each);
    } else {
      let { refusal } = each;
      if (mayHaveNearer(refusal) && hints++ < MAX_HINTS) refusal = await addNearest(trx, ledger, refusal);
      planned.push({ ...each, refusal });
    }
  }
  return planned;
}

const mayHaveNearer = (refusal: Refusal): refusal is ProductNotFound =>
  refusal instanceof ProductNotFound && refusal.asset.id !== null;

/** Adds the nearest of the stored products to a refusal. */
async function addNearest(trx: Trx, ledger: Ledger, { asset, wanted }: ProductNotFound): Promise<ProductNotFound> {
  const stored = await readOldestProducts(trx, ledger, asset, MAX_CANDIDATES);
  const created = asset.products.filter(({ id }) => id === null);
  return new ProductNotFound(asset, wanted, listOldest([...stored, ...created]));
}
