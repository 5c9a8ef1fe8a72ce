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
export function sortedLedger(assets: readonly AssetValue[]): AssetValue[] {
  return sorted(
    assets.map((asset) => ({
      assetNum: asset.assetNum,
      customer: asset.customer,
      licenseType: asset.licenseType,
      start: asset.start,
      end: asset.end,
      borrowed: asset.borrowed,
      extendCodes: Object.fromEntries(Object.entries(asset.extendCodes).toSorted(([a], [b]) => (a < b ? -1 : 1))),
      revokedBy: asset.revokedBy,
      transfers: sorted(asset.transfers.map(({ order, from, to }) => ({ order, from, to }))),
      grants: sorted(asset.grants.map(({ order, revokedBy }) => ({ order, revokedBy }))),
      products: sortedProducts(asset.products),
      merchandises: sortedMerchandises(asset.merchandises),
    })),
  );
}

function sortedProducts(products: readonly ProductValue[]): ProductValue[] {
  return sorted(
    products.map(({ order, heldBy, productUri, start, end, concurrent, source, revokedBy }) => {
      return { order, heldBy, productUri, start, end, concurrent, source, revokedBy };
    }),
  );
}

function sortedMerchandises(merchandises: readonly MerchandiseValue[]): MerchandiseValue[] {
  return sorted(
    merchandises.map((each) => ({
      order: each.order,
      heldBy: each.heldBy,
      merchandiseNum: each.merchandiseNum,
      revokedBy: each.revokedBy,
      products: sortedProducts(each.products),
      children: sortedMerchandises(each.children),
    })),
  );
}

function sorted<Value>(values: readonly Value[]): Value[] {
  if (values.length < 2) return [...values];
  const keyed = values.map((value) => ({ value, key: JSON.stringify(value) }));
  return keyed.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)).map(({ value }) => value);
}
