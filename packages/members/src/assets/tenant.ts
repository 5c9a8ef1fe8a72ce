import { lockFound, selectAssets } from '@lockstep/assets';
import type { AssetId } from '@lockstep/contract';
import { type Database, isId, type Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import type { AssetFacts } from '../rules/holdings.ts';
import type { Actor } from '../tenant.ts';

/**
 * The scope of asset queries: the assets of an enterprise's customers. An application that is bound to channels sees
 * only assets of its channels; others do not exist for it (rules 2). Every query here includes both, as in
 * ../tenant.ts.
 */
type AssetTenant = Pick<Actor, 'enterpriseId' | 'channels'>;

/** Extends the scope to all channels of the enterprise. For rules only, never for answers. */
export function acrossChannels({ enterpriseId }: AssetTenant): AssetTenant {
  return { enterpriseId, channels: null };
}

/** Starts a query on the active assets of the enterprise's customers. */
export function selectEnterpriseAssets(db: Database | Trx, tenant: AssetTenant) {
  return selectAssets(db, tenant)
    .innerJoin('customer', 'customer.id', 'asset.customer_id')
    .where('customer.enterprise_id', '=', tenant.enterpriseId);
}

/**
 * Locks active assets of the enterprise, named by number or id, in the order of their numbers, as drains do. Omits
 * assets that are not active or belong to another enterprise.
 */
export async function lockEnterpriseAssets(
  trx: Trx,
  tenant: AssetTenant,
  wanted: { assetNums?: readonly string[]; assetIds?: readonly AssetId[] },
): Promise<AssetFacts[]> {
  const { assetNums = [], assetIds = [] } = wanted;
  const rows = await lockFound(
    selectEnterpriseAssets(trx, tenant)
      .select(['asset.id', 'asset.asset_num', 'asset.borrowed_usb_key', 'asset.locked', 'asset.freezing'])
      .where(
        sql<boolean>`(asset_num = any (${assetNums}::text[]) or asset.id = any (${assetIds.filter(isId)}::bigint[]))`,
      ),
  );
  return rows.map((row) => ({
    id: row.id,
    assetNum: row.asset_num,
    isBorrowedLock: row.borrowed_usb_key,
    isUsable: !row.locked && !row.freezing,
  }));
}

/**
 * Returns which numbers are active assets of other enterprises in the scope's channels. This is the only data of
 * another enterprise that is ever read.
 */
export async function findNumbersElsewhere(
  trx: Trx,
  tenant: AssetTenant,
  assetNums: readonly string[],
): Promise<Set<string>> {
  if (assetNums.length === 0) return new Set();
  const rows = await selectAssets(trx, tenant)
    .innerJoin('customer', 'customer.id', 'asset.customer_id')
    .select('asset.asset_num')
    .where(sql<boolean>`asset_num = any (${assetNums}::text[])`)
    .where('customer.enterprise_id', '<>', tenant.enterpriseId)
    .execute();
  return new Set(rows.map((row) => row.asset_num));
}

/** Returns the ids of assets. */
export const idsOf = (assets: readonly { id: AssetId }[]): AssetId[] => assets.map(({ id }) => id);
