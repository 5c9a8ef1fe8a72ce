import { type AssetDetail, type AssetId, type Channels, Refusal } from '@lockstep/contract';
import { selectCustomers } from '@lockstep/customers';
import { type Database, inSnapshot, parseBigint, type Trx } from '@lockstep/platform';
import { selectAssets } from '../tenant.ts';
import { readContents } from './contents.ts';

/**
 * Returns the active asset of a number (rules 6.7). Its contents are those bought for it, even while it is lent and the
 * member center shows them on the borrowed lock. A lock of a channel that the caller is not bound to is not named.
 *
 * Throws a Refusal: asset_not_found, answer_too_large.
 */
export function showAsset(db: Database, channels: Channels, assetNum: string): Promise<AssetDetail> {
  return inSnapshot(db, async (trx) => {
    const { assigned, lentInto, ...asset } = await findAsset(trx, channels, assetNum);
    return { ...asset, ...(await readContents(trx, [asset])), assigned, lentInto };
  });
}

async function findAsset(trx: Trx, channels: Channels, wantedNum: string) {
  const asset = await readActiveAsset(trx, channels, wantedNum);
  if (asset === undefined) throw new Refusal('asset_not_found', wantedNum);
  const { row, shown, lockNum } = asset;
  const customer = await selectCustomers(trx, channels)
    .select('enterprise_id')
    .where('id', '=', row.customer_id)
    .executeTakeFirstOrThrow();
  const grants = await selectGrantOrders(trx, row.id).orderBy('license_order_id').execute();
  const { assetId, assetNum, licenseType, customerId, ...terms } = shown;
  return {
    assetId,
    assetNum,
    licenseType,
    customerId,
    enterpriseGlobalId: customer.enterprise_id,
    ...terms,
    licenseOrderIds: grants.map(({ id }) => id),
    assigned: row.member_id !== null,
    lentInto: lockNum,
  };
}

/**
 * Reads the active asset of a number, its employee, and the lock it is lent into; undefined if it does not exist. A
 * lock of a channel outside `channels` is not named.
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
    licenseType: row.license_type,
    customerId: row.customer_id,
    limitStartDate: parseBigint(row.limit_start_date),
    limitEndDate: parseBigint(row.limit_end_date),
    locked: row.locked,
    borrowedUsbKey: row.borrowed_usb_key,
    assetExtendList: Object.entries(row.extends ?? {}).map(([extendCode, extendValue]) => ({
      extendCode,
      extendValue,
    })),
  };
  const lock = row.lock_asset_id === null ? undefined : await findNumber(trx, channels, row.lock_asset_id);
  return { row, shown, lockNum: lock?.asset_num ?? null };
}

function findNumber(trx: Trx, channels: Channels, assetId: AssetId) {
  return selectAssets(trx, channels).select('asset_num').where('asset.id', '=', assetId).executeTakeFirst();
}

/**
 * Selects the orders with active grants on an asset. After a transfer that is the order that transferred it (rules 6.5
 * Transfer).
 */
export function selectGrantOrders(trx: Trx, assetId: AssetId) {
  return trx
    .selectFrom('asset_grant')
    .select('license_order_id as id')
    .where('asset_id', '=', assetId)
    .where('revoked_time', 'is', null);
}
