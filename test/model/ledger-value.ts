/**
 * A ledger as a plain value to compare: model, planner and database each say theirs in this form.
 *
 * Things are known by what they are and where they are, never by ids of the database.
 */

/** A product instance: the order that bought it, and its terms. */
export interface ProductValue {
  order: string;
  productUri: string;
  start: number | null;
  end: number | null;
  concurrent: number;
  source: string | null;
  active: boolean;
}

/** A merchandise instance with what is inside it. */
export interface MerchandiseValue {
  order: string;
  merchandiseNum: string;
  active: boolean;
  products: ProductValue[];
  children: MerchandiseValue[];
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
  active: boolean;
  grants: { order: string; active: boolean }[];
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

/** A copy that shares nothing. Spelled out, because structuredClone would take most of the time of a run. */
export function copyOf(asset: AssetValue): AssetValue {
  const copy = <Thing>(thing: Thing) => ({ ...thing });
  const copyOfMerchandise = (each: MerchandiseValue): MerchandiseValue => {
    return { ...each, products: each.products.map(copy), children: each.children.map(copyOfMerchandise) };
  };
  return {
    ...asset,
    extendCodes: copy(asset.extendCodes),
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
      active: asset.active,
      grants: sorted(asset.grants.map(({ order, active }) => ({ order, active }))),
      products: sortedProducts(asset.products),
      merchandises: sortedMerchandises(asset.merchandises),
    })),
  );
}

function sortedProducts(products: readonly ProductValue[]): ProductValue[] {
  return sorted(
    products.map(({ order, productUri, start, end, concurrent, source, active }) => {
      return { order, productUri, start, end, concurrent, source, active };
    }),
  );
}

function sortedMerchandises(merchandises: readonly MerchandiseValue[]): MerchandiseValue[] {
  return sorted(
    merchandises.map((each) => ({
      order: each.order,
      merchandiseNum: each.merchandiseNum,
      active: each.active,
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
