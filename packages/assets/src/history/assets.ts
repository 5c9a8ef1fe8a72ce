import type { AssetId, Channels, CustomerId, LicenseOrderId } from '@lockstep/contract';
import type { Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { selectAssets, selectRevokedAssets } from '../tenant.ts';

/** An asset that has or had the number. */
export interface TracedAsset {
  id: AssetId;
  /** Its owner, or its last one. */
  customerId: CustomerId;
  createdByOrderId: LicenseOrderId;
  /** Null while it is active. */
  revokedByOrderId: LicenseOrderId | null;
}

const COLUMNS = [
  'asset.id',
  'asset.customer_id as customerId',
  'asset.created_by_order_id as createdByOrderId',
  'asset.revoked_by_order_id as revokedByOrderId',
] as const;

/**
 * Finds the assets that have or had a number and that the caller can see, newest first. A number belongs to an asset
 * until that is revoked, so one ends before the next begins. With `from`, returns only that asset and older ones; null
 * if it never had the number.
 */
export async function findAssetsOfNumber(
  trx: Trx,
  channels: Channels,
  assetNum: string,
  { from, limit }: { from: AssetId | null; limit: number },
): Promise<TracedAsset[] | null> {
  const start = from === null ? null : await findRevokedTime(trx, assetNum, from);
  if (start === undefined) return null;
  const active = start?.revokedTime
    ? []
    : await selectAssets(trx, channels).select(COLUMNS).where('asset_num', '=', assetNum).execute();
  const revoked = await selectRevokedAssets(trx, channels)
    .select(COLUMNS)
    .where('asset_num', '=', assetNum)
    .$if(Boolean(start?.revokedTime), (all) =>
      all.where(sql<boolean>`(revoked_time, asset.id) <= (${start?.revokedTime}::timestamptz, ${from}::bigint)`),
    )
    // Assets that one statement inserted as revoked share a time. Their ids follow the order of effects.
    .orderBy('revoked_time', 'desc')
    .orderBy('asset.id', 'desc')
    .limit(limit)
    .execute();
  return [...active, ...revoked];
}

/**
 * Returns when an asset of a number was revoked, as text, because a Date has no microseconds; undefined if there is
 * none.
 */
async function findRevokedTime(trx: Trx, assetNum: string, id: AssetId) {
  // Of any channel: a page may begin at an asset that was transferred to another channel meanwhile.
  const either = [selectAssets(trx, null), selectRevokedAssets(trx, null)];
  for (const assets of either) {
    const row = await assets
      .select(sql<string | null>`revoked_time::text`.as('revokedTime'))
      .where('asset.id', '=', id)
      .where('asset_num', '=', assetNum)
      .executeTakeFirst();
    if (row !== undefined) return row;
  }
  return undefined;
}
