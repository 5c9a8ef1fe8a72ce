import type { AssetId, Channels, LicenseType } from '@lockstep/contract';
import { parseBigint, type Trx } from '@lockstep/platform';
import { selectAssets } from './tenant.ts';

/**
 * Reads the active asset of a number, who holds it, and into which lock it is lent, as far as somebody bound to these
 * channels may see it: a lock of another channel is not named. Undefined if there is none.
 */
export async function readActiveAsset(trx: Trx, channels: Channels, assetNum: string) {
  const row = await selectAssets(trx, channels)
    .leftJoin('asset_assignment as held', 'held.asset_id', 'asset.id')
    .leftJoin('asset_lending as lent', 'lent.asset_id', 'asset.id')
    .selectAll('asset')
    .select(['held.member_id', 'held.created_time as held_since'])
    .select(['lent.lock_asset_id', 'lent.created_time as lent_since'])
    .where('asset_num', '=', assetNum)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const shown = {
    assetId: row.id,
    assetNum: row.asset_num,
    licenseType: row.license_type as LicenseType,
    customerId: row.customer_id,
    limitStartDate: parseBigint(row.limit_start_date),
    limitEndDate: parseBigint(row.limit_end_date),
    locked: row.locked,
    borrowedUsbKey: row.borrowed_usb_key,
    assetExtendList: Object.entries(row.extends).map(([extendCode, extendValue]) => ({ extendCode, extendValue })),
  };
  const lock = row.lock_asset_id === null ? undefined : await findNumber(trx, channels, row.lock_asset_id);
  return { row, shown, lockNum: lock?.asset_num ?? null };
}

function findNumber(trx: Trx, channels: Channels, assetId: AssetId) {
  return selectAssets(trx, channels).select('asset_num').where('asset.id', '=', assetId).executeTakeFirst();
}

/**
 * Selects the orders whose grants to an asset last. After a transfer that is the order that did it (rules 6.5
 * Transfer).
 */
export function selectGrantOrders(trx: Trx, assetId: AssetId) {
  return trx
    .selectFrom('asset_grant')
    .select('license_order_id as id')
    .where('asset_id', '=', assetId)
    .where('revoked_time', 'is', null);
}
