import { visibleAssets as assetsOfChannels } from '@lockstep/assets';
import { type Database, isId, type Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import type { Actor } from './scope.ts';

/**
 * Whose assets: those of an enterprise's customers, and for an application that is bound to channels of these channels'
 * only, because others do not exist for it (decisions 2). As scope.ts for the rest: both are a part of every query.
 */
type AssetTenant = Pick<Actor, 'enterpriseId' | 'channels'>;

/**
 * All assets of the enterprise, whoever asks: for what is a rule of the enterprise or becomes of its employees, never for
 * an answer.
 */
export function wholeOf({ enterpriseId }: AssetTenant): AssetTenant {
  return { enterpriseId, channels: null };
}

/** The active assets of an enterprise's customers. */
export function assetsOf(db: Database | Trx, { enterpriseId, channels }: AssetTenant) {
  return assetsOfChannels(db, channels)
    .innerJoin('customer', 'customer.id', 'asset.customer_id')
    .where('customer.enterprise_id', '=', enterpriseId);
}

export interface LockedAsset {
  id: string;
  assetNum: string;
  isBorrowedLock: boolean;
  isUsable: boolean;
}

/**
 * Locks active assets of the enterprise by their numbers and ids, in the order of their numbers, as the drains of orders
 * do it. What is neither found as active nor as the enterprise's is left out.
 */
export async function lockAssets(
  trx: Trx,
  tenant: AssetTenant,
  wanted: { assetNums?: readonly string[]; assetIds?: readonly string[] },
): Promise<LockedAsset[]> {
  const { assetNums = [], assetIds = [] } = wanted;
  const found = await selectForUpdate(trx, tenant, [...assetNums], assetIds.filter(isId));
  // One that was revoked while this waited for it may have been bought again in the same transaction.
  const foundNums = new Set(found.map(({ assetNum }) => assetNum));
  const missing = assetNums.filter((assetNum) => !foundNums.has(assetNum));
  return missing.length === 0 ? found : [...found, ...(await selectForUpdate(trx, tenant, missing, []))];
}

async function selectForUpdate(
  trx: Trx,
  tenant: AssetTenant,
  assetNums: string[],
  assetIds: string[],
): Promise<LockedAsset[]> {
  const rows = await assetsOf(trx, tenant)
    .select(['asset.id', 'asset.asset_num', 'asset.borrowed_usb_key', 'asset.locked', 'asset.freezing'])
    .where(sql<boolean>`(asset_num = any (${assetNums}::text[]) or asset.id = any (${assetIds}::bigint[]))`)
    .orderBy('asset.asset_num')
    .forUpdate('asset')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    assetNum: row.asset_num,
    isBorrowedLock: row.borrowed_usb_key,
    isUsable: !row.locked && !row.freezing,
  }));
}

/**
 * Which of some numbers are active assets of other enterprises, of the tenant's channels. Nothing else of those is ever
 * looked at.
 */
export async function numbersElsewhere(
  trx: Trx,
  { enterpriseId, channels }: AssetTenant,
  assetNums: readonly string[],
): Promise<Set<string>> {
  if (assetNums.length === 0) return new Set();
  const rows = await assetsOfChannels(trx, channels)
    .innerJoin('customer', 'customer.id', 'asset.customer_id')
    .select('asset.asset_num')
    .where(sql<boolean>`asset_num = any (${assetNums}::text[])`)
    .where('customer.enterprise_id', '<>', enterpriseId)
    .execute();
  return new Set(rows.map((row) => row.asset_num));
}
