import { type Ledger, type LedgerIds, writeLedger } from '@lockstep/assets';
import { insertRows, type Trx } from '@lockstep/platform';
import type { OrderWithId, Outcome } from '../planning/outcome.ts';
import { planOnLoaded, type Work } from './plan-loaded.ts';

/**
 * Applies orders: loads what they touch, plans them, and stores what they change and what became of them. Large work
 * may end before the last order (see planEach): those behind have no outcome.
 *
 * Throws a LargeWork if the work is not large, and the orders touch more.
 */
export async function applyOrders(
  trx: Trx,
  orders: readonly OrderWithId[],
  ids: LedgerIds,
  work: Work,
): Promise<Outcome[]> {
  const { ledger, outcomes } = await planOnLoaded(trx, orders, work);
  await storeApplied(trx, ledger, outcomes, ids);
  return outcomes;
}

/** Stores what orders have changed and what became of them: the outcomes first, because grants refer to them. */
export async function storeApplied(
  trx: Trx,
  ledger: Ledger,
  outcomes: readonly Outcome[],
  ids: LedgerIds,
): Promise<void> {
  await recordOutcomes(trx, outcomes);
  await writeLedger(trx, ledger, ids);
}

/** Stores what became of orders. Throws if one has its outcome already: nothing is done twice. */
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

/** The source order of an order that succeeded. What a failed one named need not even be an order. */
function sourceOf({ accepted, failure }: Outcome): string | null {
  return failure === null ? (accepted.order.srcLicenseOrderId ?? null) : null;
}
