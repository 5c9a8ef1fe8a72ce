import type { AssetId, Channels, CustomerId, LicenseOrderId } from '@lockstep/contract';
import type { Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { selectAssets, selectRevokedAssets } from '../tenant.ts';

/** An asset that has the number, or had it. */
export interface TracedAsset {
  id: AssetId;
  /** Who owns it, or did so last. */
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
 * Finds the assets that have or had a number, newest first, as far as the caller can see them: a number is an asset's
 * only until that is revoked, so one ends before the next begins. With `from`, only that asset and older ones; null if
 * it is no asset of the number.
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
    // Assets that one statement inserted as revoked ones have one time. Their ids follow the order of effects.
    .orderBy('revoked_time', 'desc')
    .orderBy('asset.id', 'desc')
    .limit(limit)
    .execute();
  return [...active, ...revoked];
}

/**
 * When an asset of a number was revoked, as text, because a Date has no microseconds; undefined if there is no such
 * one.
 */
async function findRevokedTime(trx: Trx, assetNum: string, id: AssetId) {
  // Any channel's: an asset that has become another channel's while its history was read is still a place to go on
  // from.
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
