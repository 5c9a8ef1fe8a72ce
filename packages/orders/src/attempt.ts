import type { LedgerIds } from '@lockstep/assets';
import { Refusal } from '@lockstep/contract';
import { behindSavepoint, type Trx } from '@lockstep/platform';
import { applyOrders, recordOutcomes } from './apply.ts';
import { tryCanary } from './canary.ts';
import type { Failure, Holds } from './holds.ts';
import { failOrder, type OrderWithId, type Outcome } from './outcome.ts';
import { refusesOrder } from './plan-fault.ts';

/** What became of one order that was tried alone: it has its outcome, or it stays pending. */
export type Attempt = { outcome: Outcome; error: unknown } | { outcome: null; failure: Failure };

/**
 * Tries orders alone, each behind a savepoint, in one transaction, and judges what a failure proves.
 *
 * An order ends with internal_error only if all of this holds: PostgreSQL refuses its values, or the planner fails on it;
 * it fails alone and again, in two transactions with a pause between them; and orders of every kind can be carried out at
 * that moment in the same transaction. Anything less may be a fault of
 * what is around it, and the order stays pending.
 */
export class Attempts {
  readonly #trx: Trx;
  readonly #ids: LedgerIds;
  readonly #holds: Holds;
  #serviceWorks = false;

  constructor(trx: Trx, ids: LedgerIds, holds: Holds) {
    this.#trx = trx;
    this.#ids = ids;
    this.#holds = holds;
  }

  /** Throws if no order can be applied now, or none in this transaction any more. */
  async attempt(accepted: OrderWithId): Promise<Attempt> {
    try {
      return { outcome: await this.#apply(accepted), error: null };
    } catch {
      // It is tried twice, so that two transactions that met are nobody's fault.
      await this.#checkService();
    }
    try {
      return { outcome: await this.#apply(accepted), error: null };
    } catch (error) {
      if (this.#holds.countFailures(accepted) === 0 || !refusesOrder(error)) {
        return { outcome: null, failure: { accepted, error } };
      }
      return { outcome: await this.#end(accepted), error };
    }
  }

  async #apply(accepted: OrderWithId): Promise<Outcome> {
    const outcomes = await behindSavepoint(this.#trx, () => applyOrders(this.#trx, [accepted], this.#ids));
    return outcomes[0]!;
  }

  /** Throws the error that keeps every order from being applied, if there is one. */
  async #checkService(): Promise<void> {
    if (this.#serviceWorks) return;
    await tryCanary(this.#trx, this.#ids);
    this.#serviceWorks = true;
  }

  async #end(accepted: OrderWithId): Promise<Outcome> {
    const outcome = failOrder(accepted, new Refusal('internal_error'));
    await recordOutcomes(this.#trx, [outcome]);
    return outcome;
  }
}

/** Whether an order failed because of what it is: throws if orders of every kind cannot be carried out now. */
export async function liesInOrder(trx: Trx, ids: LedgerIds): Promise<boolean> {
  await tryCanary(trx, ids);
  return true;
}
