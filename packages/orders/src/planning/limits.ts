import type { Asset } from '@lockstep/assets';
import {
  MAX_COUNTED,
  MAX_EXTENDED_ATTRIBUTES,
  MAX_INSTANCES,
  MAX_INSTANCES_ON_ASSET,
  MAX_INSTANCES_TOGETHER,
  Refusal,
} from '@lockstep/contract';
import { activeOn, grantsOf } from './checks.ts';

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
   * Products, merchandise and grants on the assets that a new_buy names, before it. Orders that run together count no
   * more together.
   */
  counted: number;
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
  counted: MAX_COUNTED,
  together: MAX_INSTANCES_TOGETHER,
};

/**
 * Counts what an order touches while it is planned, so that an order that is too large fails before it uses much
 * memory.
 */
export class Touched {
  readonly #limits: Limits;
  #instances = 0;
  #grants = 0;
  #counted = 0;
  readonly #assets = new Set<Asset>();

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  get instances(): number {
    return this.#instances;
  }

  /** Adds products and merchandise. Throws a Refusal: order_too_large. */
  add(instances: number): void {
    this.#instances += instances;
    check(this.#instances, this.#limits.ofOrder, 'products and merchandise to change');
  }

  /** Adds the grants of an asset, once per order. Throws a Refusal: order_too_large. */
  addGrantsOf(asset: Asset): void {
    if (this.#assets.has(asset)) return;
    this.#assets.add(asset);
    this.#grants += grantsOf(asset).filter(({ revokedBy }) => revokedBy === null).length;
    check(this.#grants, this.#limits.ofOrder, 'grants on its assets');
  }

  /** Adds what an asset holds before the order. Call it once for each asset. Throws a Refusal: order_too_large. */
  addHeldBy(asset: Asset): void {
    const { grants, contents } = activeOn(asset);
    this.#counted += grants + contents;
    check(this.#counted, this.#limits.counted, 'products, merchandise and grants on its assets');
  }
}

function check(count: number, limit: number, what: string): void {
  if (count > limit) throw new Refusal('order_too_large', limit, what);
}

/**
 * Returns the refusal of a batch whose orders touch too much together (rules 6.5). `index`: the first order beyond the
 * limit.
 */
export function tooLarge(index: number): Refusal {
  const { together, counted } = LIMITS;
  const changes = `${together} products and merchandise to change`;
  const limits = `${changes}, ${together} to revoke from, or ${counted} on assets to add to`;
  return new Refusal('batch_too_large', `orderList[${index}]`, limits);
}
