import type { HeldCustomers } from './holds.ts';
import type { SeenChunk } from './pending-look.ts';
import type { AcceptedOrder } from './plan.ts';

/** Held customers whose oldest order one drain tries again. */
const MAX_ALONE = 20;

/** What of some chunks is worth reading. */
interface Choice {
  chosen: SeenChunk[];
  /** How many chunks were judged: those behind are for the next drain. */
  judged: number;
}

/**
 * Whose turn it is in one drain, that is told of what is pending in acceptance order. A customer who is passed by once
 * stays so, because later orders do not overtake earlier ones.
 */
export class Turns {
  readonly #held: HeldCustomers;
  readonly #maxWeight: number;
  /** Customers who get no turn any more in this drain. */
  readonly #passedIds = new Set<string>();
  /** Customers whose oldest order is to be tried alone, once it is read. */
  readonly #aloneIds = new Set<string>();
  readonly #leftIds = new Set<string>();
  #alone = 0;
  #weightAlone = 0;

  /** `maxWeight`: of the chunks of free customers, past the first; and as much again of those read for held ones. */
  constructor(held: HeldCustomers, maxWeight: number) {
    this.#held = held;
    this.#maxWeight = maxWeight;
  }

  /** Whether any customer may have to wait. */
  get someWait(): boolean {
    return this.#held.ids.size > 0 || this.#passedIds.size > 0;
  }

  /** Customers who have orders left in what was passed by. */
  get leftIds(): ReadonlySet<string> {
    return this.#leftIds;
  }

  /** Lets customers have no turn any more: orders of theirs cannot be read. */
  block(customerIds: Iterable<string>): void {
    for (const customerId of customerIds) {
      this.#leftIds.add(customerId);
      this.#aloneIds.delete(customerId);
      this.#passedIds.add(customerId);
    }
  }

  /** Chooses the chunks in which somebody has a turn. Of a held customer who is due that is the oldest alone. */
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

  /** Of orders that were read, in acceptance order: those to apply together, and those to try alone. */
  take(orders: readonly AcceptedOrder[]): { together: AcceptedOrder[]; alone: AcceptedOrder[] } {
    const together: AcceptedOrder[] = [];
    const alone: AcceptedOrder[] = [];
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

  #pass(customerIds: readonly string[]): void {
    for (const customerId of customerIds) {
      this.#leftIds.add(customerId);
      // Whoever is to be tried alone has an older order, which was chosen.
      if (!this.#aloneIds.has(customerId)) this.#passedIds.add(customerId);
    }
  }

  #tryAlone(customerId: string): void {
    this.#aloneIds.add(customerId);
    this.#alone++;
  }

  #isFree(customerId: string): boolean {
    return !this.#held.ids.has(customerId) && !this.#passedIds.has(customerId);
  }

  #mayTryAlone(customerId: string): boolean {
    const isDue = this.#held.dueIds.has(customerId) && !this.#passedIds.has(customerId);
    return isDue && !this.#aloneIds.has(customerId) && this.#alone < MAX_ALONE;
  }

  #hasRoomAlone(weight: number): boolean {
    return this.#weightAlone === 0 || this.#weightAlone + weight <= this.#maxWeight;
  }
}
