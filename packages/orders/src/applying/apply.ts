import { type Ledger, type LedgerIds, writeLedger } from '@lockstep/assets';
import { insertRows, type Trx } from '@lockstep/platform';
import type { OrderWithId, Outcome } from '../planning/outcome.ts';
import { planOnLoaded } from './plan-loaded.ts';

/**
 * Applies orders: loads the part of the ledger that they touch, plans them, and stores their effects and outcomes.
 * Returns the outcomes. If they would touch too much together, the last ones have no outcome (see planOrders).
 */
export async function applyOrders(trx: Trx, orders: readonly OrderWithId[], ids: LedgerIds): Promise<Outcome[]> {
  const { ledger, outcomes } = await planOnLoaded(trx, orders);
  await storeApplied(trx, ledger, outcomes, ids);
  return outcomes;
}

/** Stores the outcomes and effects of orders. Outcomes come first, because grants refer to them. */
export async function storeApplied(
  trx: Trx,
  ledger: Ledger,
  outcomes: readonly Outcome[],
  ids: LedgerIds,
): Promise<void> {
  await recordOutcomes(trx, outcomes);
  await writeLedger(trx, ledger, ids);
}

/** Stores outcomes. Throws if an order already has one, so that no order takes effect twice. */
export async function recordOutcomes(trx: Trx, outcomes: readonly Outcome[]): Promise<void> {
  await insertRows(trx, 'license_order', [
    ['id', 'bigint', outcomes.map(({ accepted }) => accepted.licenseOrderId)],
    ['order_type', 'text', outcomes.map(({ accepted }) => accepted.order.orderType)],
    ['customer_id', 'text', outcomes.map(({ accepted }) => accepted.order.customerId)],
    ['cause', 'text', outcomes.map(({ failure }) => failure?.cause ?? null)],
    ['message', 'text', outcomes.map(({ failure }) => failure?.message ?? null)],
    ['assets', 'integer', outcomes.map(({ assets }) => assets)],
    ['products', 'integer', outcomes.map(({ products }) => products)],
    ['src_license_order_id', 'bigint', outcomes.map(sourceOf)],
  ]);
}

/** Returns the source order of an order that succeeded. A failed order may have named one that doesn't exist. */
function sourceOf({ accepted, failure }: Outcome): string | null {
  return failure === null ? (accepted.order.srcLicenseOrderId ?? null) : null;
}
