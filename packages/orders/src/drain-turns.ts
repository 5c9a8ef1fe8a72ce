import type { CustomerId } from '@lockstep/contract';
import type { HeldCustomers } from './holds.ts';
import type { OrderWithId } from './outcome.ts';
import type { SeenChunk } from './pending-look.ts';

/** Held customers whose oldest order one drain tries again. */
const MAX_ALONE = 20;

/** Which of some chunks are worth reading. */
interface Choice {
  chosen: SeenChunk[];
  /** How many chunks were judged. Those behind them are for the next drain. */
  judged: number;
}

/**
 * Decides which customers' orders one drain applies. Call it in acceptance order: a customer skipped once stays skipped
 * in this drain, because later orders do not overtake earlier ones.
 */
export class DrainTurns {
  readonly #held: HeldCustomers;
  readonly #maxWeight: number;
  /** Customers who get no more turn in this drain. */
  readonly #passedIds = new Set<CustomerId>();
  /** Customers whose oldest order is tried alone once it is read. */
  readonly #aloneIds = new Set<CustomerId>();
  readonly #leftIds = new Set<CustomerId>();
  #alone = 0;
  #weightAlone = 0;

  /**
   * `maxWeight`: the most weight to read for free customers, and again as much for held ones; the first chunk always
   * counts.
   */
  constructor(held: HeldCustomers, maxWeight: number) {
    this.#held = held;
    this.#maxWeight = maxWeight;
  }

  /** Whether any customer may have to wait. */
  get hasWaiting(): boolean {
    return this.#held.ids.size > 0 || this.#passedIds.size > 0;
  }

  /** Customers who have orders left in what was passed by. */
  get leftIds(): ReadonlySet<CustomerId> {
    return this.#leftIds;
  }

  /** Gives customers no more turn: orders of theirs cannot be read. */
  block(customerIds: Iterable<CustomerId>): void {
    for (const customerId of customerIds) {
      this.#leftIds.add(customerId);
      this.#aloneIds.delete(customerId);
      this.#passedIds.add(customerId);
    }
  }

  /** Chooses the chunks in which somebody has a turn. For a held customer who is due, that is only the oldest. */
  choose(chunks: readonly SeenChunk[]): Choice {
    const chosen: SeenChunk[] = [];
    let weightFree = 0;
    for (const [judged, chunk] of chunks.entries()) {
      const { weight, customerIds } = chunk;
      if (customerIds.some((customerId) => this.#isFree(customerId))) {
        if (weightFree > 0 && weightFree + weight > this.#maxWeight) return { chosen, judged };
        weightFree += weight;
      } else if (this.#hasRoomAlone(weight) && customerIds.some((customerId) => this.#mayTryAlone(customerId))) {
        this.#weightAlone += weight;
      } else {
        this.#pass(customerIds);
        continue;
      }
      chosen.push(chunk);
      for (const customerId of customerIds) if (this.#mayTryAlone(customerId)) this.#tryAlone(customerId);
    }
    return { chosen, judged: chunks.length };
  }

  /** Splits orders that were read, in acceptance order, into those to apply together and those to try alone. */
  take(orders: readonly OrderWithId[]): { together: OrderWithId[]; alone: OrderWithId[] } {
    const together: OrderWithId[] = [];
    const alone: OrderWithId[] = [];
    for (const accepted of orders) {
      const { customerId } = accepted.order;
      if (this.#isFree(customerId)) together.push(accepted);
      else if (this.#aloneIds.delete(customerId)) {
        alone.push(accepted);
        // The orders behind it wait for what becomes of it.
        this.#passedIds.add(customerId);
      }
    }
    return { together, alone };
  }

  #pass(customerIds: readonly CustomerId[]): void {
    for (const customerId of customerIds) {
      this.#leftIds.add(customerId);
      // Whoever is to be tried alone has an older order, which was chosen.
      if (!this.#aloneIds.has(customerId)) this.#passedIds.add(customerId);
    }
  }

  #tryAlone(customerId: CustomerId): void {
    this.#aloneIds.add(customerId);
    this.#alone++;
  }

  #isFree(customerId: CustomerId): boolean {
    return !this.#held.ids.has(customerId) && !this.#passedIds.has(customerId);
  }

  #mayTryAlone(customerId: CustomerId): boolean {
    const isDue = this.#held.dueIds.has(customerId) && !this.#passedIds.has(customerId);
    return isDue && !this.#aloneIds.has(customerId) && this.#alone < MAX_ALONE;
  }

  #hasRoomAlone(weight: number): boolean {
    return this.#weightAlone === 0 || this.#weightAlone + weight <= this.#maxWeight;
  }
}
