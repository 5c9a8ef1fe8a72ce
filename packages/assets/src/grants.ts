import type { LicenseOrderId } from '@lockstep/contract';
/**
 * An order has granted something on an asset. The grant lasts until a delete_asset names its order, the asset is revoked,
 * or the order that transfers the asset takes it over, with everything that is under it (rules 6.5).
 */
export interface Grant {
  readonly licenseOrderId: LicenseOrderId;
  readonly holder: Holder;
  /** The order that revoked it; null while it lasts. */
  revokedBy: LicenseOrderId | null;
}

/** Which order stands for what is under a grant. When an order takes grants over, their holders become one. */
interface Holder {
  orderId: LicenseOrderId;
  /** The holder that this one became a part of. */
  into: Holder | null;
  /** Number of holders merged into this one. */
  size: number;
}

/** A grant of an order that stands for itself. */
export function createGrant(licenseOrderId: LicenseOrderId): Grant {
  return { licenseOrderId, holder: { orderId: licenseOrderId, into: null, size: 1 }, revokedBy: null };
}

/** The order that stands for a product or a merchandise: the one that bought it, or the last that transferred its asset. */
export function heldBy({ grant }: { grant: Grant }): LicenseOrderId {
  return findLast(grant.holder).orderId;
}

/**
 * Lets the order of a grant stand for all that is under other grants as well, whatever it is. Nothing under them is looked
 * at: an asset may hold a hundred thousand products and be transferred by each order of a batch.
 */
export function takeOver(grant: Grant, others: readonly Grant[]): void {
  let largest = findLast(grant.holder);
  for (const other of others) largest = join(largest, findLast(other.holder));
  largest.orderId = grant.licenseOrderId;
}

function findLast(holder: Holder): Holder {
  let last = holder;
  while (last.into !== null) last = last.into;
  return last;
}

/** Joins two holders. The smaller one leads to the larger one, so that no way gets long. */
function join(one: Holder, other: Holder): Holder {
  const [small, large] = one.size < other.size ? [one, other] : [other, one];
  small.into = large;
  large.size += small.size;
  return large;
}
