import type { LicenseOrderId } from '@lockstep/contract';

/** Products and merchandise, or counts of active ones. */
export interface Numbers {
  products: number;
  merchandises: number;
}

interface StoredGrant {
  /** The counts of its contents; null if no order may revoke them together (see ContentsNeeds). */
  counted: Readonly<Numbers> | null;
}

/**
 * What one order put on one asset. A grant is active until a delete_asset names its order, the asset is revoked, or an
 * order that transfers the asset takes it over with all contents (rules 6.5).
 */
export interface Grant {
  readonly licenseOrderId: LicenseOrderId;
  readonly holder: Holder;
  /** The order that revoked it; null while it is active. */
  revokedBy: LicenseOrderId | null;
  /** What the database says of it; null for a new grant. */
  readonly stored: StoredGrant | null;
}

/**
 * The order that holds the contents of a grant, their counts, and the order that ended all of them. When an order takes
 * grants over, their holders are merged. So taking over or revoking a grant touches none of its contents, which may be
 * thousands of products that are not even loaded.
 */
interface Holder extends Numbers {
  orderId: LicenseOrderId;
  /** Whether its numbers are complete. */
  isCounted: boolean;
  /** The order that revoked everything that was left in it. */
  endedBy: LicenseOrderId | null;
  /** The holder that this one was merged into. */
  into: Holder | null;
}

/** Returns a grant whose order holds its own contents. */
export function createGrant(licenseOrderId: LicenseOrderId, stored: StoredGrant | null = null): Grant {
  const { products, merchandises } = stored?.counted ?? { products: 0, merchandises: 0 };
  const isCounted = stored === null || stored.counted !== null;
  const holder = { products, merchandises, isCounted, orderId: licenseOrderId, endedBy: null, into: null };
  return { licenseOrderId, holder, revokedBy: null, stored };
}

/** An instance's grant, and the order that revoked the instance by itself. */
type Held = { grant: Grant; revokedBy: LicenseOrderId | null };

/**
 * Returns the order that holds a product or merchandise: the one that bought it, or the last one that transferred its
 * asset.
 */
export function heldBy({ grant }: Pick<Held, 'grant'>): LicenseOrderId {
  return findLast(grant.holder).orderId;
}

/** Returns the order that revoked a product or merchandise, by itself or with its grant; null while it is active. */
export function revokerOf({ grant, revokedBy }: Held): LicenseOrderId | null {
  return revokedBy ?? findLast(grant.holder).endedBy;
}

/** Returns the counts of an active grant's active contents, which must be counted. */
export function numbersOf(grant: Grant): Readonly<Numbers> {
  const { products, merchandises, isCounted } = findLast(grant.holder);
  if (!isCounted) throw new Error(`contents of the grant of order ${grant.licenseOrderId} not counted`);
  return { products, merchandises };
}

/** Adds to the counts of a grant; negative numbers for what is revoked. */
export function countUnder(grant: Grant, { products = 0, merchandises = 0 }: Partial<Numbers>): void {
  const holder = findLast(grant.holder);
  holder.products += products;
  holder.merchandises += merchandises;
}

/** Revokes a grant with all its contents. */
export function endGrant(grant: Grant, licenseOrderId: LicenseOrderId): void {
  grant.revokedBy = licenseOrderId;
  const holder = findLast(grant.holder);
  holder.endedBy = licenseOrderId;
  holder.products = 0;
  holder.merchandises = 0;
}

/** Returns what happened to all of a grant's stored contents together (see writeLedger). */
export function endingOf(grant: Grant): { heldBy: LicenseOrderId; revokedBy: LicenseOrderId | null } {
  const { orderId, endedBy } = findLast(grant.holder);
  return { heldBy: orderId, revokedBy: endedBy };
}

/** Makes the order of a grant hold the contents of other grants as well. */
export function takeOver(grant: Grant, others: readonly Grant[]): void {
  const holder = findLast(grant.holder);
  for (const other of others) {
    other.revokedBy = grant.licenseOrderId;
    const former = findLast(other.holder);
    former.into = holder;
    holder.isCounted &&= former.isCounted;
    holder.products += former.products;
    holder.merchandises += former.merchandises;
  }
}

function findLast(holder: Holder): Holder {
  let last = holder;
  while (last.into !== null) last = last.into;
  return last;
}
