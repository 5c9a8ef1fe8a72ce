/**
 * A ledger as a plain value to compare: model, planner and database each say theirs in this form.
 *
 * Things are known by what they are and where they are, never by ids of the database.
 */

/** A product instance: the order that bought it, the one that stands for it, and its terms. */
export interface ProductValue {
  order: string;
  heldBy: string;
  productUri: string;
  start: number | null;
  end: number | null;
  concurrent: number;
  source: string | null;
  /** The order that revoked it; null while it is active. So it is with everything here. */
  revokedBy: string | null;
}

/** A merchandise instance with what is inside it. */
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

/** An asset that was ever made. `products` are those that are in no merchandise. */
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

/** Every merchandise instance of an asset, however deep. */
export function merchandisesOn(asset: AssetValue): MerchandiseValue[] {
  const andInside = (each: MerchandiseValue): MerchandiseValue[] => [each, ...each.children.flatMap(andInside)];
  return asset.merchandises.flatMap(andInside);
}

/** Every product instance of an asset, those inside merchandise too. */
export function productsOn(asset: AssetValue): ProductValue[] {
  return [...asset.products, ...merchandisesOn(asset).flatMap(({ products }) => products)];
}

/** Whether something was not revoked. */
export const isActive = ({ revokedBy }: { revokedBy: string | null }) => revokedBy === null;

/** A copy that shares nothing. Spelled out, because structuredClone would take most of the time of a run. */
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

/** The same ledger with every list sorted and every field in its place: equal ledgers are then equal as JSON too. */
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
