import { advance, type Ledger, type LedgerIds, loadLedger, writeLedger } from '@lockstep/assets';
import { type Cause, Refusal } from '@lockstep/contract';
import { insertRows, type Trx } from '@lockstep/platform';
import { type AcceptedOrder, countEffects, planOrder } from './plan.ts';
import { scopeOf } from './scope.ts';

/** What became of an order (decisions 6.2): a failed one has changed nothing. */
export interface Outcome {
  accepted: AcceptedOrder;
  failure: { cause: Cause; message: string } | null;
  assets: number;
  products: number;
}

/** Plans orders one after the other against a ledger, each seeing what the ones before it did. */
export function planAll(ledger: Ledger, orders: readonly AcceptedOrder[]): Outcome[] {
  return orders.map((accepted) => {
    try {
      const effects = planOrder(ledger, accepted);
      advance(ledger, effects);
      if (accepted.order.orderType === 'new_buy') {
        ledger.customerOfPurchase.set(accepted.licenseOrderId, accepted.order.customerId);
      }
      return { accepted, failure: null, ...countEffects(effects) };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return failed(accepted, error);
    }
  });
}

/** The outcome of an order that was refused. */
export function failed(accepted: AcceptedOrder, refusal: Refusal): Outcome {
  return { accepted, failure: { cause: refusal.reason, message: refusal.message }, assets: 0, products: 0 };
}

/** That planning an order threw what is not a refusal: a fault in the rules, not in what the order asks. */
export class PlanFault extends Error {
  constructor(cause: unknown) {
    super('An order could not be planned', { cause });
    this.name = 'PlanFault';
  }
}

function planned(ledger: Ledger, orders: readonly AcceptedOrder[]): Outcome[] {
  try {
    return planAll(ledger, orders);
  } catch (error) {
    throw new PlanFault(error);
  }
}

/** Applies orders to the ledger: loads what they touch, plans, and writes what they change. */
export async function applyOrders(trx: Trx, orders: readonly AcceptedOrder[], ids: LedgerIds): Promise<Outcome[]> {
  const ledger = await loadLedger(trx, scopeOf(orders.map(({ order }) => order)));
  const outcomes = planned(ledger, orders);
  await writeLedger(trx, ledger, ids);
  return outcomes;
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
  ]);
}
