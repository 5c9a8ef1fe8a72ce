import type { CustomerId } from '@lockstep/contract';
import { laneOf } from './lanes.ts';
import type { OrderWithId } from './outcome.ts';

/** The pause after the first attempt at an order that cannot be applied. It doubles up to the longest. */
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;

/** An order that could not be applied although the service works. */
export interface Failure {
  accepted: OrderWithId;
  error: unknown;
}

/** The held customers as they were when a drain began. */
export interface HeldCustomers {
  ids: ReadonlySet<CustomerId>;
  /** Those of them whose oldest order is due to be tried again. */
  dueIds: ReadonlySet<CustomerId>;
}

interface Hold extends Failure {
  failures: number;
  dueMs: number;
}

/**
 * The customers whose oldest pending order cannot be applied, as far as this process has seen. That order is tried again
 * by itself after growing pauses; the customer's later orders wait for it, and nobody else does. Times are those of
 * performance.now.
 */
export class Holds {
  readonly #byCustomer = new Map<CustomerId, Hold>();

  has(customerId: CustomerId): boolean {
    return this.#byCustomer.has(customerId);
  }

  /** Finds who is held in some lanes, and whose oldest order it is time to try again. */
  findHeldIn(lanes: readonly number[], nowMs: number): HeldCustomers {
    const held = [...this.#byCustomer].filter(([customerId]) => lanes.includes(laneOf(customerId)));
    const due = held.filter(([, { dueMs }]) => dueMs <= nowMs);
    return { ids: new Set(held.map(([id]) => id)), dueIds: new Set(due.map(([id]) => id)) };
  }

  /** Counts how often in a row this very order has failed. */
  countFailures({ licenseOrderId, order }: OrderWithId): number {
    const hold = this.#byCustomer.get(order.customerId);
    return hold?.accepted.licenseOrderId === licenseOrderId ? hold.failures : 0;
  }

  hold(failure: Failure, nowMs: number): void {
    const failures = this.countFailures(failure.accepted) + 1;
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
    this.#byCustomer.set(failure.accepted.order.customerId, { ...failure, failures, dueMs: nowMs + pauseMs });
  }

  release(customerId: CustomerId): void {
    this.#byCustomer.delete(customerId);
  }

  /** Forgets customers of the lanes who have nothing pending there any more: another process has applied it. */
  releaseAllBut(pendingCustomerIds: ReadonlySet<CustomerId>, lanes: readonly number[]): void {
    for (const customerId of this.#byCustomer.keys()) {
      if (lanes.includes(laneOf(customerId)) && !pendingCustomerIds.has(customerId)) this.release(customerId);
    }
  }

  /** The earliest time at which one of these customers is due; null if none is held. */
  nextDueMs(customerIds: Iterable<CustomerId>): number | null {
    const dues = [...customerIds].flatMap((customerId) => this.#byCustomer.get(customerId)?.dueMs ?? []);
    return dues.length === 0 ? null : Math.min(...dues);
  }

  /** Everything that is held. */
  all(): readonly Failure[] {
    return [...this.#byCustomer.values()];
  }
}
