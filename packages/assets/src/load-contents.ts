import type { AssetId, LicenseOrderId } from '@lockstep/contract';
import { arrayText, parseBigint, type Statement, type Trx, together } from '@lockstep/platform';
import { createGrant, type Grant } from './grants.ts';
import type { Asset, MerchandiseInstance, ProductInstance } from './ledger.ts';

interface GrantRow {
  asset_id: AssetId;
  license_order_id: LicenseOrderId;
}

interface ActiveMerchandiseRow {
  id: string;
  asset_id: AssetId;
  license_order_id: LicenseOrderId;
  held_by_order_id: LicenseOrderId | null;
  parent_id: string | null;
}

interface ActiveProductRow {
  id: string;
  asset_id: AssetId;
  license_order_id: LicenseOrderId;
  held_by_order_id: LicenseOrderId | null;
  merchandise_id: string | null;
  product_uri: string;
  limit_start_date: string | null;
  limit_end_date: string | null;
  limit_concurrent: number;
}

const readingGrants = (assetIds: unknown): Statement<GrantRow> => ({
  name: 'read_grants',
  text: `
    select asset_id, license_order_id from asset_grant
    where asset_id = any ((select $1::bigint[])::bigint[]) and revoked_time is null
    order by license_order_id`,
  values: [assetIds],
});

const readingMerchandises = (assetIds: unknown): Statement<ActiveMerchandiseRow> => ({
  name: 'read_merchandises',
  text: `
    select id, asset_id, license_order_id, held_by_order_id, parent_id from merchandise_instance
    where asset_id = any ((select $1::bigint[])::bigint[]) and revoked_time is null
    order by license_order_id, id`,
  values: [assetIds],
});

const readingProducts = (assetIds: unknown): Statement<ActiveProductRow> => ({
  name: 'read_products',
  text: `
    select id, asset_id, license_order_id, held_by_order_id, merchandise_id, product_uri,
      limit_start_date, limit_end_date, limit_concurrent
    from product_instance where asset_id = any ((select $1::bigint[])::bigint[]) and revoked_time is null
    order by license_order_id, id`,
  values: [assetIds],
});

/** Loads the active grants, merchandises and products of assets into them, oldest first. */
export async function loadContents(trx: Trx, assets: Asset[]): Promise<void> {
  const byId = new Map(assets.map((asset) => [asset.id!, asset]));
  const assetIds = arrayText('bigint', [...byId.keys()]);
  const [grants, merchandises, products] = await together<[GrantRow, ActiveMerchandiseRow, ActiveProductRow]>(trx, [
    readingGrants(assetIds),
    readingMerchandises(assetIds),
    readingProducts(assetIds),
  ]);
  const grantsByKey = new Map<string, Grant>();
  const keyOf = (assetId: AssetId, orderId: LicenseOrderId) => `${assetId} ${orderId}`;
  for (const row of grants) {
    const grant = createGrant(row.license_order_id);
    grantsByKey.set(keyOf(row.asset_id, row.license_order_id), grant);
    byId.get(row.asset_id)!.grants.push(grant);
  }
  // A database trigger guarantees an active grant for everything active.
  const findGrant: FindGrant = (row) => grantsByKey.get(keyOf(row.asset_id, holderOf(row)))!;
  const findMerchandise = buildMerchandises(merchandises, findGrant);
  for (const row of merchandises) byId.get(row.asset_id)!.merchandises.push(findMerchandise(row.id)!);
  for (const row of products) {
    byId
      .get(row.asset_id)!
      .products.push(buildProduct(row, findGrant(row), countActiveIn(findMerchandise(row.merchandise_id))));
  }
}

type HeldRow = Pick<ActiveProductRow, 'asset_id' | 'license_order_id' | 'held_by_order_id'>;
type FindGrant = (row: HeldRow) => Grant;

const holderOf = (row: HeldRow) => row.held_by_order_id ?? row.license_order_id;

/** Returns a look-up of the active merchandises by id, each inside its parent. */
function buildMerchandises(
  rows: readonly ActiveMerchandiseRow[],
  findGrant: FindGrant,
): (id: string | null) => MerchandiseInstance | null {
  const rowsById = new Map(rows.map((row) => [row.id, row]));
  const built = new Map<string, MerchandiseInstance>();
  const findMerchandise = (id: string | null): MerchandiseInstance | null => {
    if (id === null) return null;
    const known = built.get(id);
    if (known !== undefined) return known;
    const row = rowsById.get(id)!;
    const merchandise = {
      id,
      licenseOrderId: row.license_order_id,
      grant: findGrant(row),
      storedHeldBy: holderOf(row),
      bought: null,
      parent: countActiveIn(findMerchandise(row.parent_id)),
      activeContents: 0,
      revokedBy: null,
    };
    built.set(id, merchandise);
    return merchandise;
  };
  return findMerchandise;
}

/** Counts one more active item in a merchandise, and returns it. */
function countActiveIn(merchandise: MerchandiseInstance | null): MerchandiseInstance | null {
  if (merchandise !== null) merchandise.activeContents++;
  return merchandise;
}

function buildProduct(row: ActiveProductRow, grant: Grant, merchandise: MerchandiseInstance | null): ProductInstance {
  return {
    id: row.id,
    licenseOrderId: row.license_order_id,
    grant,
    storedHeldBy: holderOf(row),
    productUri: row.product_uri,
    limitStartDate: parseBigint(row.limit_start_date),
    limitEndDate: parseBigint(row.limit_end_date),
    limitConcurrent: row.limit_concurrent,
    bought: null,
    merchandise,
    revokedBy: null,
  };
}
