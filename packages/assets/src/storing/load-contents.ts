import type { AssetId, LicenseOrderId } from '@lockstep/contract';
import { arrayText, parseBigint, run, type Statement, type Trx, textArray, together } from '@lockstep/platform';
import { createGrant, endingOf, type Grant } from '../ledger/grants.ts';
import type { Asset, Ledger, ProductInstance } from '../ledger/ledger.ts';
import { ofTerms } from '../terms.ts';
import { loadMerchandises } from './load-merchandises.ts';

/** Products that an order looks for on an asset: those of a URI, or of a URI, a period and a node count. */
interface ProductLookUp {
  asset: Asset;
  productUri: string;
  /** Null to match any. */
  terms: Pick<ProductInstance, 'limitStartDate' | 'limitEndDate' | 'limitConcurrent'> | null;
  /** Only contents that this order holds; null to match any. */
  source: LicenseOrderId | null;
}

/** The contents that orders need, in the order in which they need them. */
export interface ContentsNeeds {
  /** Assets with a grant that may be revoked, taken over, or lose contents. */
  grantsOf: Set<Asset>;
  lookUps: ProductLookUp[];
}

/** About how much one statement reads and looks for: some milliseconds of the event loop. */
const ROWS_AT_ONCE = 10_000;

/**
 * Loads the contents that orders may refer to: active grants, the active products that match, and the merchandise
 * around them. Stops after more than `limit` grants or products. It follows the order of the needs, so an order that
 * needs more is refused before it reaches what was not read. Returns how many grants and products it has read; more than
 * `limit` if it stopped.
 */
export async function loadContents(trx: Trx, ledger: Ledger, needs: ContentsNeeds, limit: number): Promise<number> {
  const unknown = [...needs.grantsOf].filter(({ areGrantsLoaded }) => !areGrantsLoaded);
  const [firstAssets = [], ...otherAssets] = cutAt(
    unknown,
    (asset) => asset,
    ({ active }) => active.grants,
  );
  const [firstLookUps = [], ...otherLookUps] = cutAt(
    needs.lookUps,
    ({ asset }) => asset,
    ({ active }) => active.products + active.grants,
  );
  if (firstAssets.length === 0 && firstLookUps.length === 0) return 0;
  const stored = new StoredGrants();
  const [grants, products] = await together<[GrantRow, ProductRow]>(trx, [
    readingGrants(firstAssets),
    readingProducts(firstLookUps, stored),
  ]);
  addGrants(firstAssets, grants);
  let grantsRead = grants.length;
  for (const assets of otherAssets) {
    if (grantsRead > limit) return grantsRead;
    const rows = await run(trx, readingGrants(assets));
    addGrants(assets, rows);
    grantsRead += rows.length;
  }
  const loaded = new Map<string, { product: ProductInstance; merchandiseId: string | null }>();
  addProducts(ledger, firstLookUps, stored, products, loaded);
  for (const lookUps of otherLookUps) {
    if (grantsRead + loaded.size > limit) break;
    addProducts(ledger, lookUps, stored, await run(trx, readingProducts(lookUps, stored)), loaded);
  }
  const read = grantsRead + loaded.size;
  if (read <= limit) await loadMerchandises(trx, ledger, loaded.values());
  return read;
}

/** Unloads the products that no order has revoked. */
export function dropLoaded(ledger: Ledger): void {
  for (const asset of ledger.loadedOnto) asset.products = asset.products.filter(({ id }) => id === null);
  ledger.loadedOnto.clear();
  for (const [id, merchandise] of ledger.merchandises) {
    if (!ledger.changes.changedMerchandises.has(merchandise)) ledger.merchandises.delete(id);
  }
}

/** Reads the oldest active products of an asset, without loading them. */
export async function readOldestProducts(
  trx: Trx,
  { changes }: Ledger,
  asset: Asset,
  atMost: number,
): Promise<ProductInstance[]> {
  const grants = new StoredGrants().of(asset);
  const ended = [...grants.values()].filter((grant) => endingOf(grant).revokedBy !== null);
  const revokedIds = [...changes.revokedProducts].flatMap(([id, revoked]) => (revoked.asset === asset ? [id] : []));
  const rows = await run(trx, readingOldest(asset, ended, revokedIds, atMost));
  return rows.map((row) => buildProduct(row, grants.get(row.holder_id)!));
}

/** Splits a list into parts for one statement each; each asset in it counts `rowsOf`. */
function cutAt<Item>(
  items: readonly Item[],
  assetOf: (item: Item) => Asset,
  rowsOf: (asset: Asset) => number,
): Item[][] {
  const parts: Item[][] = [];
  let part: Item[] = [];
  let rows = 0;
  let assets = new Set<Asset>();
  for (const item of items) {
    const asset = assetOf(item);
    const isTooLarge = !assets.has(asset) && rows + rowsOf(asset) > ROWS_AT_ONCE;
    if (part.length === 0 || part.length === ROWS_AT_ONCE || isTooLarge) {
      part = [];
      parts.push(part);
      rows = 0;
      assets = new Set();
    }
    part.push(item);
    if (!assets.has(asset)) rows += rowsOf(asset);
    assets.add(asset);
  }
  return parts;
}

interface GrantRow {
  asset_id: AssetId;
  license_order_id: LicenseOrderId;
  active_products: number;
  active_merchandises: number;
}

const readingGrants = (assets: readonly Asset[]): Statement<GrantRow> => ({
  name: 'read_grants',
  text: `
    select asset_id, license_order_id, active_products, active_merchandises from asset_grant
    where asset_id = any ((select $1::bigint[])::bigint[]) and revoked_time is null
    order by license_order_id`,
  values: [
    arrayText(
      'bigint',
      assets.map(({ id }) => id),
    ),
  ],
});

function addGrants(assets: readonly Asset[], rows: readonly GrantRow[]): void {
  const byAsset = Map.groupBy(rows, (row) => row.asset_id);
  for (const asset of assets) {
    const stored = (byAsset.get(asset.id!) ?? []).map((row) =>
      createGrant(row.license_order_id, { products: row.active_products, merchandises: row.active_merchandises }),
    );
    asset.grants = [...stored, ...asset.grants];
    asset.areGrantsLoaded = true;
  }
}

/** Matches any terms, or any holder. */
const WHATEVER = '*';

/**
 * The stored grants of assets. What is needed is computed once per asset, however many lookups follow, because an asset
 * may have ten thousand grants.
 */
class StoredGrants {
  readonly #byAsset = new Map<Asset, Map<LicenseOrderId, Grant>>();
  readonly #holders = new Map<Asset, Map<LicenseOrderId, string>>();

  /** Returns the loaded grants of an asset, by the orders that hold their contents. */
  of(asset: Asset): ReadonlyMap<LicenseOrderId, Grant> {
    const known = this.#byAsset.get(asset);
    if (known !== undefined) return known;
    const stored = asset.grants.filter((grant) => grant.stored !== null);
    const grants = new Map(stored.map((grant) => [grant.licenseOrderId, grant]));
    this.#byAsset.set(asset, grants);
    return grants;
  }

  /**
   * Returns the stored holder of the contents that an order now holds on an asset; WHATEVER if the order has taken over
   * everything; null if there is none.
   */
  holderFor(asset: Asset, source: LicenseOrderId): string | null {
    if (!asset.areGrantsLoaded) return source;
    let holders = this.#holders.get(asset);
    if (holders === undefined) {
      holders = new Map();
      for (const [stored, grant] of this.of(asset)) {
        const { heldBy } = endingOf(grant);
        holders.set(heldBy, holders.has(heldBy) ? WHATEVER : stored);
      }
      this.#holders.set(asset, holders);
    }
    return holders.get(source) ?? null;
  }
}

/** Returns what one statement looks for: the URIs on each asset, and each lookup in the form of READ_PRODUCTS. */
function mergeLookUps(
  lookUps: readonly ProductLookUp[],
  stored: StoredGrants,
): { uris: Map<Asset, Set<string>>; keys: Set<string> } {
  const uris = new Map<Asset, Set<string>>();
  const keys = new Set<string>();
  for (const { asset, productUri, terms, source } of lookUps) {
    const holder = source === null ? WHATEVER : stored.holderFor(asset, source);
    if (holder === null) continue;
    const ofAsset = uris.get(asset) ?? new Set();
    uris.set(asset, ofAsset.add(productUri));
    const termsKey =
      terms === null ? WHATEVER : `${terms.limitStartDate ?? ''},${terms.limitEndDate ?? ''},${terms.limitConcurrent}`;
    keys.add(`${asset.id} ${termsKey} ${holder} ${productUri}`);
  }
  return { uris, keys };
}

interface ProductRow {
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
  select product.* from (
    select asset_id, array_agg(hash_uri(uri)) as hashes
    from unnest((select $1::bigint[]), (select $2::text[])) as named (asset_id, uri) group by asset_id
  ) as named
  cross join lateral (
    select ${PRODUCT_COLUMNS}, concat(coalesce(limit_start_date::text, ''), ',', coalesce(limit_end_date::text, ''), ',', limit_concurrent) as terms
    from product_instance
    where product_instance.asset_id = named.asset_id and uri_hash = any (hashes) and revoked_time is null
    offset 0
  ) as product
  where concat(product.asset_id, ' * * ', product_uri) in (select unnest($3::text[]))
    or concat(product.asset_id, ' ', terms, ' * ', product_uri) in (select unnest($3::text[]))
    or concat(product.asset_id, ' * ', holder_id, ' ', product_uri) in (select unnest($3::text[]))
    or concat(product.asset_id, ' ', terms, ' ', holder_id, ' ', product_uri) in (select unnest($3::text[]))
  order by license_order_id, id`;

const readingProducts = (lookUps: readonly ProductLookUp[], stored: StoredGrants): Statement<ProductRow> => {
  const { uris, keys } = mergeLookUps(lookUps, stored);
  const named = [...uris].flatMap(([{ id }, ofAsset]) => [...ofAsset].map((uri) => ({ id, uri })));
  return {
    name: 'read_products',
    text: READ_PRODUCTS,
    values: [
      arrayText(
        'bigint',
        named.map(({ id }) => id),
      ),
      textArray(named.map(({ uri }) => uri)),
      textArray([...keys]),
    ],
  };
};

const readingOldest = (
  asset: Asset,
  ended: readonly Grant[],
  revokedIds: readonly string[],
  atMost: number,
): Statement<ProductRow> => ({
  name: 'read_oldest_products',
  text: `
    select ${PRODUCT_COLUMNS} from product_instance
    where asset_id = $1 and revoked_time is null and ${HOLDER} not in (select unnest($2::bigint[]))
      and id not in (select unnest($3::bigint[]))
    order by license_order_id, id limit $4`,
  values: [asset.id, ended.map(({ licenseOrderId }) => licenseOrderId), revokedIds, atMost],
});

/** Adds products to their assets once, except those that an order has revoked. */
function addProducts(
  ledger: Ledger,
  lookUps: readonly ProductLookUp[],
  stored: StoredGrants,
  rows: readonly ProductRow[],
  loaded: Map<string, { product: ProductInstance; merchandiseId: string | null }>,
): void {
  const assets = new Map(lookUps.map(({ asset }) => [asset.id!, asset]));
  for (const row of rows) {
    if (loaded.has(row.id) || ledger.changes.revokedProducts.has(row.id)) continue;
    const asset = assets.get(row.asset_id)!;
    // A database trigger guarantees an active grant for all active contents.
    const grant = stored.of(asset).get(row.holder_id)!;
    if (endingOf(grant).revokedBy !== null) continue;
    const product = buildProduct(row, grant);
    loaded.set(row.id, { product, merchandiseId: row.merchandise_id });
    asset.products.push(product);
    ledger.loadedOnto.add(asset);
  }
}

function buildProduct(row: ProductRow, grant: Grant): ProductInstance {
  // Shares the grant's string, instead of a copy for each of 200,000 products.
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
