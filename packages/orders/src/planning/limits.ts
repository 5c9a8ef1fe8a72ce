import type { Asset } from '@lockstep/assets';
import {
  MAX_EXTENDED_ATTRIBUTES,
  MAX_INSTANCES,
  MAX_INSTANCES_ON_ASSET,
  MAX_INSTANCES_TOGETHER,
  Refusal,
} from '@lockstep/contract';
import { grantsOf } from './checks.ts';

/** How much orders may touch (rules 6.5 Size). */
export interface Limits {
  /** Active products and merchandise on one asset. The same limit applies to its grants. */
  onAsset: number;
  codesOnAsset: number;
  /**
   * Products and merchandise that one order creates, revokes or moves. The same limit applies to the grants of the
   * assets that it may revoke.
   */
  ofOrder: number;
  /**
   * What orders that run together may touch, and about how much of each kind is read for them. At least `ofOrder` and
   * `onAsset` together (see loadContents).
   */
  together: number;
}

export const LIMITS: Limits = {
  onAsset: MAX_INSTANCES_ON_ASSET,
  codesOnAsset: MAX_EXTENDED_ATTRIBUTES,
  ofOrder: MAX_INSTANCES,
  together: MAX_INSTANCES_TOGETHER,
};

/**
 * Counts what an order touches while it is planned, so that an order that is too large fails before it uses much
 * memory.
 */
export class Touched {
  readonly #limit: number;
  #instances = 0;
  #grants = 0;
  readonly #assets = new Set<Asset>();

  constructor({ ofOrder }: Limits) {
    this.#limit = ofOrder;
  }

  get instances(): number {
    return this.#instances;
  }

  /** Adds products and merchandise. Throws a Refusal: order_too_large. */
  add(instances: number): void {
    this.#instances += instances;
    this.#check(this.#instances);
  }

  /** Adds the grants of an asset, once per order. Throws a Refusal: order_too_large. */
  addGrantsOf(asset: Asset): void {
    if (this.#assets.has(asset)) return;
    this.#assets.add(asset);
    this.#grants += grantsOf(asset).filter(({ revokedBy }) => revokedBy === null).length;
    this.#check(this.#grants);
  }

  #check(count: number): void {
    if (count > this.#limit) throw new Refusal('order_too_large', this.#limit);
  }
}
