import {
  type AssetDetail,
  type AssetId,
  type Channels,
  type LicenseOrderId,
  type LicenseType,
  Refusal,
} from '@lockstep/contract';
import { selectCustomers } from '@lockstep/customers';
import { type Database, inSnapshot, parseBigint, type Trx } from '@lockstep/platform';
import { readContents } from './contents.ts';
import { selectAssets } from './tenant.ts';

/**
 * Shows the active asset of a number as it is now (rules 6.7). Products and merchandises are what was bought on it, also
 * while it is lent, when the member center shows them under the borrowed lock. A lock of another channel than the
 * caller's is not named.
 *
 * Throws a Refusal: asset_not_found.
 */
export function showAsset(db: Database, channels: Channels, assetNum: string): Promise<AssetDetail> {
  return inSnapshot(db, async (trx) => {
    const row = await selectAssets(trx, channels)
      .leftJoin('asset_assignment as held', 'held.asset_id', 'asset.id')
      .leftJoin('asset_lending as lent', 'lent.asset_id', 'asset.id')
      .selectAll('asset')
      .select(['held.member_id', 'lent.lock_asset_id'])
      .where('asset_num', '=', assetNum)
      .executeTakeFirst();
    if (row === undefined) throw new Refusal('asset_not_found', assetNum);
    const customer = await selectCustomers(trx, channels)
      .select('enterprise_id')
      .where('id', '=', row.customer_id)
      .executeTakeFirstOrThrow();
    const { productInstanceList: products, children: merchandises } = await readContents(trx, [row.id]);
    return {
      assetId: row.id,
      assetNum: row.asset_num,
      licenseType: row.license_type as LicenseType,
      customerId: row.customer_id,
      enterpriseGlobalId: customer.enterprise_id,
      limitStartDate: parseBigint(row.limit_start_date),
      limitEndDate: parseBigint(row.limit_end_date),
      locked: row.locked,
      borrowedUsbKey: row.borrowed_usb_key,
      assetExtendList: Object.entries(row.extends).map(([extendCode, extendValue]) => ({ extendCode, extendValue })),
      licenseOrderIds: await readGrantOrderIds(trx, row.id),
      products,
      merchandises,
      assigned: row.member_id !== null,
      lentInto: row.lock_asset_id === null ? null : await findNumber(trx, channels, row.lock_asset_id),
    };
  });
}

/** The orders whose grants to an asset last. After a transfer that is the order that did it (rules 6.5 Transfer). */
async function readGrantOrderIds(trx: Trx, assetId: AssetId): Promise<LicenseOrderId[]> {
  const rows = await trx
    .selectFrom('asset_grant')
    .select('license_order_id')
    .where('asset_id', '=', assetId)
    .where('revoked_time', 'is', null)
    .orderBy('license_order_id')
    .execute();
  return rows.map((row) => row.license_order_id);
}

async function findNumber(trx: Trx, channels: Channels, assetId: AssetId): Promise<string | null> {
  const row = await selectAssets(trx, channels).select('asset_num').where('asset.id', '=', assetId).executeTakeFirst();
  return row?.asset_num ?? null;
}
