import type { AssetId, LicenseOrderId } from '@lockstep/contract';
import { bigintArray, parseBigint, run, type Statement, type Trx, textArray } from '@lockstep/platform';
import { endingOf, type Grant } from '../../ledger/grants.ts';
import type { Asset, Ledger, ProductInstance } from '../../ledger/ledger.ts';
import { ofTerms } from '../../terms.ts';
import type { HeldContents } from './grants.ts';

/**
 * Products that an order looks for on an asset, among those that an order holds: those of a URI, or of a URI, a period
 * and a node count.
 */
export interface ProductLookUp extends HeldContents {
  productUri: string;
  /** Null to match any. */
  terms: Pick<ProductInstance, 'limitStartDate' | 'limitEndDate' | 'limitConcurrent'> | null;
}

/** A product, and the place of its asset. */
export interface ProductRow extends StoredProduct {
  place: number;
}

interface StoredProduct {
  id: string;
  asset_id: AssetId;
  license_order_id: LicenseOrderId;
  holder_id: LicenseOrderId;
  merchandise_id: string | null;
  product_uri: string;
  limit_start_date: string | null;
  limit_end_date: string | null;
  limit_concurrent: number;
}

const HOLDER = 'coalesce(held_by_order_id, license_order_id)';
const PRODUCT_COLUMNS = `
  id, asset_id, license_order_id, ${HOLDER} as holder_id, merchandise_id, ${ofTerms('product_uri')} as product_uri,
  limit_start_date, limit_end_date, limit_concurrent`;

// Scans each asset once for all its hashes: the index has holders before hashes, so a search for one hash would read an
// entry of every holder. Matches are then found by a key, because an order may name thousands of products of one URI.
const READ_PRODUCTS = `
  select place, product.* from (
    select asset_id, min(place)::int as place, array_agg(hash_uri(uri)) as hashes
    from unnest((select $1::bigint[]), (select $2::text[])) with ordinality as named (asset_id, uri, place)
    group by asset_id order by 2
  ) as named
  cross join lateral (
    select ${PRODUCT_COLUMNS}, concat(coalesce(limit_start_date::text, ''), ',', coalesce(limit_end_date::text, ''), ',', limit_concurrent) as terms
    from product_instance
    where product_instance.asset_id = named.asset_id and uri_hash = any (hashes) and revoked_time is null
    order by license_order_id, id offset 0
  ) as product
  where concat(product.asset_id, ' * * ', product_uri) in (select unnest($3::text[]))
    or concat(product.asset_id, ' ', terms, ' * ', product_uri) in (select unnest($3::text[]))
    or concat(product.asset_id, ' * ', holder_id, ' ', product_uri) in (select unnest($3::text[]))
    or concat(product.asset_id, ' ', terms, ' ', holder_id, ' ', product_uri) in (select unnest($3::text[]))
  order by place limit $4`;

/** The active products that match, at most a number of them: asset by asset, oldest first. */
export const productRows = (lookUps: readonly ProductLookUp[], atMost: number): Statement<ProductRow> => {
  const uris = new Map<Asset, Set<string>>();
  const keys = new Set<string>();
  for (const { asset, productUri, terms, source } of lookUps) {
    const ofAsset = uris.get(asset) ?? new Set();
    uris.set(asset, ofAsset.add(productUri));
    const termsKey =
      terms === null ? WHATEVER : `${terms.limitStartDate ?? ''},${terms.limitEndDate ?? ''},${terms.limitConcurrent}`;
    keys.add(`${asset.id} ${termsKey} ${source ?? WHATEVER} ${productUri}`);
  }
  const named = [...uris].flatMap(([{ id }, ofAsset]) => [...ofAsset].map((uri) => ({ id, uri })));
  return {
    name: 'read_products',
    text: READ_PRODUCTS,
    values: [
      bigintArray(named.map(({ id }) => id)),
      textArray(named.map(({ uri }) => uri)),
      textArray([...keys]),
      atMost,
    ],
  };
};

/** Matches any terms, or any holder. */
const WHATEVER = '*';

/** A product that was loaded, and the merchandise around it. */
export interface LoadedProduct {
  product: ProductInstance;
  merchandiseId: string | null;
}

/** Gives assets whose grants are loaded the products that were looked for. Returns the products. */
export function addProducts(lookUps: readonly ProductLookUp[], rows: readonly ProductRow[]): LoadedProduct[] {
  const byAsset = Map.groupBy(rows, (row) => row.asset_id);
  return [...new Set(lookUps.map(({ asset }) => asset))].flatMap((asset) => {
    const grants = grantsByHolder(asset);
    const loaded = asset.areGrantsLoaded
      ? (byAsset.get(asset.id!) ?? []).map((row) => ({
          // A database trigger guarantees an active grant for all active contents.
          product: buildProduct(row, grants.get(row.holder_id)!),
          merchandiseId: row.merchandise_id,
        }))
      : [];
    asset.products = loaded.map(({ product }) => product);
    return loaded;
  });
}

/** Returns the loaded grants of an asset, by the orders that hold their contents in the database. */
function grantsByHolder({ grants }: Asset): ReadonlyMap<LicenseOrderId, Grant> {
  return new Map(grants.flatMap((grant) => (grant.stored === null ? [] : [[grant.licenseOrderId, grant] as const])));
}

/** Reads the oldest active products of an asset, without loading them. */
export async function readOldestProducts(
  trx: Trx,
  { changes }: Ledger,
  asset: Asset,
  atMost: number,
): Promise<ProductInstance[]> {
  const grants = grantsByHolder(asset);
  const ended = [...grants.values()].filter((grant) => endingOf(grant).revokedBy !== null);
  const revokedIds = [...changes.revokedProducts].flatMap(([id, revoked]) => (revoked.asset === asset ? [id] : []));
  const rows = await run(trx, oldestRows(asset, ended, revokedIds, atMost));
  return rows.map((row) => buildProduct(row, grants.get(row.holder_id)!));
}

const oldestRows = (
  asset: Asset,
  ended: readonly Grant[],
  revokedIds: readonly string[],
  atMost: number,
): Statement<StoredProduct> => ({
  name: 'read_oldest_products',
  text: `
    select ${PRODUCT_COLUMNS} from product_instance
    where asset_id = $1 and revoked_time is null and ${HOLDER} not in (select unnest($2::bigint[]))
      and id not in (select unnest($3::bigint[]))
    order by license_order_id, id limit $4`,
  values: [asset.id, ended.map(({ licenseOrderId }) => licenseOrderId), revokedIds, atMost],
});

function buildProduct(row: StoredProduct, grant: Grant): ProductInstance {
  // Shares the grant's string, instead of a copy for each of thousands of products.
  const holderId = grant.licenseOrderId;
  return {
    id: row.id,
    licenseOrderId: row.license_order_id === holderId ? holderId : row.license_order_id,
    grant,
    storedHeldBy: holderId,
    productUri: row.product_uri,
    limitStartDate: parseBigint(row.limit_start_date),
    limitEndDate: parseBigint(row.limit_end_date),
    limitConcurrent: row.limit_concurrent,
    bought: null,
    merchandise: null,
    revokedBy: null,
  };
}
