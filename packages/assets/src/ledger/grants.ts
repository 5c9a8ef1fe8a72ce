import type { LicenseOrderId } from '@lockstep/contract';

/** Products and merchandises, or how many of each are active. */
export interface Numbers {
  products: number;
  merchandises: number;
}

/**
 * An order has granted something on an asset. The grant lasts until a delete_asset names its order, the asset is
 * revoked, or the order that transfers the asset takes it over, with everything that is under it (rules 6.5).
 */
export interface Grant {
  readonly licenseOrderId: LicenseOrderId;
  readonly holder: Holder;
  /** The order that revoked it; null while it lasts. */
  revokedBy: LicenseOrderId | null;
  /** The numbers as stored in the database; null for a new grant. */
  readonly stored: Readonly<Numbers> | null;
}

/**
 * Which order stands for what is under a grant, how much that is, and what ended all of it. When an order takes grants
 * over, their holders become one. So nothing under a grant is looked at when it is taken over or revoked: it may be ten
 * thousand products that were not even loaded.
 */
interface Holder extends Numbers {
  orderId: LicenseOrderId;
  /** The order that revoked everything that was left under it. */
  endedBy: LicenseOrderId | null;
  /** The holder that this one became a part of. */
  into: Holder | null;
  /** Number of holders merged into this one. */
  size: number;
}

/** A grant of an order that stands for itself. `stored`: the numbers of what is under it, if it is in the database. */
export function createGrant(licenseOrderId: LicenseOrderId, stored: Numbers | null = null): Grant {
  const numbers = stored ?? { products: 0, merchandises: 0 };
  const holder = { ...numbers, orderId: licenseOrderId, endedBy: null, into: null, size: 1 };
  return { licenseOrderId, holder, revokedBy: null, stored };
}

/** Something under a grant, and the order that revoked it by itself. */
type Held = { grant: Grant; revokedBy: LicenseOrderId | null };

/**
 * The order that stands for a product or a merchandise: the one that bought it, or the last that transferred its asset.
 */
export function heldBy({ grant }: Pick<Held, 'grant'>): LicenseOrderId {
  return findLast(grant.holder).orderId;
}

/**
 * The order that revoked a product or a merchandise, by itself or with all that was under its grant; null while it is
 * active.
 */
export function revokerOf({ grant, revokedBy }: Held): LicenseOrderId | null {
  return revokedBy ?? findLast(grant.holder).endedBy;
}

/** How much is active under a grant. A grant that was taken over has nothing. */
export function numbersOf(grant: Grant): Readonly<Numbers> {
  const { products, merchandises } = findLast(grant.holder);
  return grant.revokedBy === null ? { products, merchandises } : { products: 0, merchandises: 0 };
}

/** Counts what an order puts under a grant, or revokes of it. */
export function countUnder(grant: Grant, { products = 0, merchandises = 0 }: Partial<Numbers>): void {
  const holder = findLast(grant.holder);
  holder.products += products;
  holder.merchandises += merchandises;
}

/** Revokes a grant with everything that is under it. */
export function endGrant(grant: Grant, licenseOrderId: LicenseOrderId): void {
  grant.revokedBy = licenseOrderId;
  const holder = findLast(grant.holder);
  holder.endedBy = licenseOrderId;
  holder.products = 0;
  holder.merchandises = 0;
}

/** What became of everything that the database has under a grant, as one: see writeLedger. */
export function fateOf(grant: Grant): { heldBy: LicenseOrderId; revokedBy: LicenseOrderId | null } {
  const { orderId, endedBy } = findLast(grant.holder);
  return { heldBy: orderId, revokedBy: endedBy };
}

/** Lets the order of a grant stand for all that is under other grants as well, whatever it is. */
export function takeOver(grant: Grant, others: readonly Grant[]): void {
  let largest = findLast(grant.holder);
  for (const other of others) {
    other.revokedBy = grant.licenseOrderId;
    largest = join(largest, findLast(other.holder));
  }
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
  large.products += small.products;
  large.merchandises += small.merchandises;
  return large;
}
