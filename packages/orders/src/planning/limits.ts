import type { Asset } from '@lockstep/assets';
import { MAX_EXTENDED_ATTRIBUTES, MAX_INSTANCES, MAX_INSTANCES_ON_ASSET, Refusal } from '@lockstep/contract';

/** How much orders may touch (rules 6.5 Size). */
export interface Limits {
  /** Active products and merchandises on an asset, and as many grants. */
  onAsset: number;
  /** Extended attributes of an asset. */
  codesOnAsset: number;
  /** Products and merchandises that an order creates, revokes or moves, and grants of the assets that it may end. */
  ofOrder: number;
  /** What orders may touch together without a turn of their own (see LargeWork): some tens of megabytes. */
  small: number;
  /** Products and grants that may be read for orders that run together: no more orders begin once it is more. */
  read: number;
}

export const LIMITS: Limits = {
  onAsset: MAX_INSTANCES_ON_ASSET,
  codesOnAsset: MAX_EXTENDED_ATTRIBUTES,
  ofOrder: MAX_INSTANCES,
  small: 20_000,
  read: 2 * MAX_INSTANCES,
};

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
  /** Assets whose grants are counted. */
  readonly #assets = new Set<Asset>();

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

  /** Counts the grants of an asset, once however often the order names it. Throws a Refusal: order_too_large. */
  addGrantsOf(asset: Asset): void {
    if (this.#assets.has(asset)) return;
    this.#assets.add(asset);
    this.#grants += asset.active.grants;
    this.#check(this.#grants);
  }

  #check(count: number): void {
    if (count > this.#limit) throw new Refusal('order_too_large', this.#limit);
  }
}
