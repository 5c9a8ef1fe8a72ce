/**
 * A ledger as a plain value. Model, planner and database are all converted to it, to be compared.
 *
 * It identifies things by content and position, never by database ids.
 */

/** A product instance: the order that bought it, the order that it now belongs to, and its terms. */
export interface ProductValue {
  order: string;
  heldBy: string;
  productUri: string;
  start: number | null;
  end: number | null;
  concurrent: number;
  source: string | null;
  /** The order that revoked it; null while it is active. The same applies to the other types. */
  revokedBy: string | null;
}

/** An instance of merchandise and its contents. */
export interface MerchandiseValue {
  order: string;
  heldBy: string;
  merchandiseNum: string;
  revokedBy: string | null;
  products: ProductValue[];
  children: MerchandiseValue[];
}

/** A transfer by an order. */
interface TransferValue {
  order: string;
  from: string;
  to: string;
}

/** An asset, active or revoked. `products` are those outside merchandise. */
export interface AssetValue {
  assetNum: string;
  customer: string;
  licenseType: string;
  start: number | null;
  end: number | null;
  borrowed: boolean;
  /** Whether it is disabled or frozen. */
  stopped: 'locked' | 'frozen' | null;
  extendCodes: Record<string, string>;
  revokedBy: string | null;
  transfers: TransferValue[];
  grants: { order: string; revokedBy: string | null }[];
  products: ProductValue[];
  merchandises: MerchandiseValue[];
}

/** Returns all merchandise instances of an asset, at any depth. */
export function merchandisesOn(asset: AssetValue): MerchandiseValue[] {
  const andInside = (each: MerchandiseValue): MerchandiseValue[] => [each, ...each.children.flatMap(andInside)];
  return asset.merchandises.flatMap(andInside);
}

/** Returns all product instances of an asset, including those inside merchandise. */
export function productsOn(asset: AssetValue): ProductValue[] {
  return [...asset.products, ...merchandisesOn(asset).flatMap(({ products }) => products)];
}

export const isActive = ({ revokedBy }: { revokedBy: string | null }) => revokedBy === null;

/** Returns a deep copy. structuredClone would take most of a run's time. */
export function copyOf(asset: AssetValue): AssetValue {
  const copy = <Thing>(thing: Thing) => ({ ...thing });
  const copyOfMerchandise = (each: MerchandiseValue): MerchandiseValue => {
    return { ...each, products: each.products.map(copy), children: each.children.map(copyOfMerchandise) };
  };
  return {
    ...asset,
    extendCodes: copy(asset.extendCodes),
    transfers: asset.transfers.map(copy),
    grants: asset.grants.map(copy),
    products: asset.products.map(copy),
    merchandises: asset.merchandises.map(copyOfMerchandise),
  };
}

/** Sorts all lists and fields, so that equal ledgers have equal JSON. */
export const sortedLedger = (assets: readonly AssetValue[]) => sorted(assets) as AssetValue[];

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const byKey = <Entry extends readonly [string, unknown]>(entries: Entry[]) =>
    entries.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  if (!Array.isArray(value)) {
    return Object.fromEntries(byKey(Object.entries(value)).map(([key, field]) => [key, sorted(field)]));
  }
  return byKey(value.map(sorted).map((each) => [JSON.stringify(each), each] as const)).map(([, each]) => each);
}
