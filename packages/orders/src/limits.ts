import { MAX_INSTANCES, MAX_INSTANCES_ON_ASSET, Refusal } from '@lockstep/contract';

/** How much orders may touch (rules 6.5 Size). */
export interface Limits {
  /** Active products and merchandises on an asset, and as many grants. */
  onAsset: number;
  /** Products and merchandises that an order creates, revokes or moves, and grants of the assets that it may end. */
  ofOrder: number;
  /** What orders may touch together without a turn of their own (see LargeWork): some tens of megabytes. */
  small: number;
}

export const LIMITS: Limits = { onAsset: MAX_INSTANCES_ON_ASSET, ofOrder: MAX_INSTANCES, small: 20_000 };

/** Orders touch more together than work without a turn may. They are planned again when they have one. */
export class LargeWork extends Error {
  constructor() {
    super('orders touch much together, and wait for a turn');
  }
}

/** Counts what an order touches while it is planned, so that it is refused before it takes much memory. */
export class Touched {
  readonly #limit: number;
  #instances = 0;
  #grants = 0;

  constructor({ ofOrder }: Limits) {
    this.#limit = ofOrder;
  }

  get instances(): number {
    return this.#instances;
  }

  /** Counts products and merchandises. Throws a Refusal: order_too_large. */
  add(instances: number): void {
    this.#instances += instances;
    this.#check(this.#instances);
  }

  /** Counts grants that have to be looked at. Throws a Refusal: order_too_large. */
  addGrants(grants: number): void {
    this.#grants += grants;
    this.#check(this.#grants);
  }

  #check(count: number): void {
    if (count > this.#limit) throw new Refusal('order_too_large', this.#limit);
  }
}
