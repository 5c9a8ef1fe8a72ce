import {
  advance,
  type Effects,
  isNumberConflict,
  type Ledger,
  type LedgerIds,
  loadLedger,
  writeLedger,
} from '@lockstep/assets';
import { type Cause, Refusal } from '@lockstep/contract';
import { insertRows, mayLieInOnePart, refusesValues, type Trx, together } from '@lockstep/platform';
import { type AcceptedOrder, countEffects, planOrder } from './plan.ts';
import { scopeOf } from './scope.ts';

/** What became of an order (decisions 6.2): a failed one has changed nothing. */
export interface Outcome {
  accepted: AcceptedOrder;
  failure: { cause: Cause; message: string } | null;
  assets: number;
  products: number;
}

/** What planning an order came to. */
export type Planned =
  | { accepted: AcceptedOrder; effects: Effects; refusal: null }
  | { accepted: AcceptedOrder; effects: null; refusal: Refusal };

/** Plans orders one after the other against a ledger, each seeing what the ones before it did. */
export function* planEach(ledger: Ledger, orders: readonly AcceptedOrder[]): Generator<Planned> {
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
    if (accepted.order.orderType === 'new_buy') {
      ledger.customerOfPurchase.set(accepted.licenseOrderId, accepted.order.customerId);
    }
    yield { accepted, effects, refusal: null };
  }
}

/** What became of orders that are planned one after the other. */
export function planAll(ledger: Ledger, orders: readonly AcceptedOrder[]): Outcome[] {
  return Array.from(planEach(ledger, orders), ({ accepted, effects, refusal }) =>
    refusal === null ? { accepted, failure: null, ...countEffects(effects) } : failed(accepted, refusal),
  );
}

/** The outcome of an order that was refused. */
export function failed(accepted: AcceptedOrder, refusal: Refusal): Outcome {
  return { accepted, failure: { cause: refusal.reason, message: refusal.message }, assets: 0, products: 0 };
}

/** That planning an order threw what is not a refusal: a fault in the rules, not in what the order asks. */
class PlanFault extends Error {
  constructor(cause: unknown) {
    super('An order could not be planned', { cause });
    this.name = 'PlanFault';
  }
}

/** Whether orders that failed together may do so for one of them, so that it is worth trying each alone. */
export function mayLieInOneOrder(error: unknown): boolean {
  return (mayLieInOnePart(error) && !isNumberConflict(error)) || error instanceof PlanFault;
}

/** Whether it is the order itself that PostgreSQL or the plan does not take, as far as the failure tells. */
export function refusesOrder(error: unknown): boolean {
  return refusesValues(error) || error instanceof PlanFault;
}

/** As planAll, on a ledger that was loaded. Throws a PlanFault where the rules themselves fail. */
export function planLoaded(ledger: Ledger, orders: readonly AcceptedOrder[]): Outcome[] {
  try {
    return planAll(ledger, orders);
  } catch (error) {
    throw new PlanFault(error);
  }
}

/** Applies orders: loads what they touch, plans, and stores what they change and what became of them. */
export async function applyOrders(trx: Trx, orders: readonly AcceptedOrder[], ids: LedgerIds): Promise<Outcome[]> {
  const ledger = await loadLedger(trx, scopeOf(orders));
  const outcomes = planLoaded(ledger, orders);
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
  await together([recordOutcomes(trx, outcomes), writeLedger(trx, ledger, ids)]);
}

/** Stores what became of orders. An order that has its outcome already makes this throw: nothing is done twice. */
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

/** The source order of an order that succeeded; what a failed one named need not even be one. */
function sourceOf({ accepted, failure }: Outcome): string | null {
  return failure === null ? (accepted.order.srcLicenseOrderId ?? null) : null;
}
