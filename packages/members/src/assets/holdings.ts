import { releaseAssets } from '@lockstep/assets';
import type { AssetId, MemberId } from '@lockstep/contract';
import { insertRows, type Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import type { Actor } from '../tenant.ts';
import { acrossChannels, selectEnterpriseAssets } from './tenant.ts';

/**
 * Assignments and loans of assets: rows of `asset_assignment` and `asset_lending`. The transaction has locked every
 * asset here.
 */
export interface Holdings {
  /** The employee an asset is assigned to, by asset id. */
  holderOf: ReadonlyMap<AssetId, MemberId>;
  /** The id of the borrowed lock an asset is lent into, by asset id. */
  lockOf: ReadonlyMap<AssetId, AssetId>;
}

/** A lent asset in an audit entry: its number and that of its borrowed lock. */
interface LentAsset {
  assetNum: string;
  borrowedUsbKey: string;
}

/** Reads the assignments and loans of assets. */
export async function readHoldings(trx: Trx, assetIds: AssetId[]): Promise<Holdings> {
  const assigned = await trx
    .selectFrom('asset_assignment')
    .select(['asset_id', 'member_id'])
    .where(sql<boolean>`asset_id = any (${assetIds}::bigint[])`)
    .execute();
  const lent = await trx
    .selectFrom('asset_lending')
    .select(['asset_id', 'lock_asset_id'])
    .where(sql<boolean>`asset_id = any (${assetIds}::bigint[])`)
    .execute();
  return {
    holderOf: new Map(assigned.map((row) => [row.asset_id, row.member_id])),
    lockOf: new Map(lent.map((row) => [row.asset_id, row.lock_asset_id])),
  };
}

/** Assigns assets to an employee. */
export async function assignAssets(trx: Trx, memberId: MemberId, assetIds: AssetId[]): Promise<void> {
  await insertRows(trx, 'asset_assignment', [
    ['asset_id', 'bigint', assetIds],
    ['member_id', 'bigint', assetIds.map(() => memberId)],
  ]);
}

/** Lends assets into a borrowed lock. */
export async function lendIntoLock(trx: Trx, lockId: AssetId, assetIds: AssetId[]): Promise<void> {
  await insertRows(trx, 'asset_lending', [
    ['asset_id', 'bigint', assetIds],
    ['lock_asset_id', 'bigint', assetIds.map(() => lockId)],
  ]);
}

/** Ends the assignments and loans of assets of any channel. Returns the assets that were lent. */
export async function endHoldings(trx: Trx, actor: Actor, assetIds: AssetId[]): Promise<LentAsset[]> {
  const lent = await readLent(trx, actor, assetIds);
  await releaseAssets(trx, assetIds);
  return lent;
}

async function readLent(trx: Trx, actor: Actor, assetIds: AssetId[]): Promise<LentAsset[]> {
  const assets = () => selectEnterpriseAssets(trx, acrossChannels(actor)).select(['asset.id', 'asset.asset_num']);
  return trx
    .selectFrom('asset_lending')
    .innerJoin(assets().as('own'), 'own.id', 'asset_lending.asset_id')
    .innerJoin(assets().as('lock'), 'lock.id', 'asset_lending.lock_asset_id')
    .select(['own.asset_num as assetNum', 'lock.asset_num as borrowedUsbKey'])
    .where(sql<boolean>`asset_lending.asset_id = any (${assetIds}::bigint[])`)
    .orderBy('own.asset_num')
    .execute();
}

/** Returns the employees whose assets are lent into a borrowed lock. */
export async function readLockHolders(trx: Trx, lockId: AssetId): Promise<Set<MemberId>> {
  const rows = await trx
    .selectFrom('asset_lending')
    .innerJoin('asset_assignment', 'asset_assignment.asset_id', 'asset_lending.asset_id')
    .select('asset_assignment.member_id')
    .distinct()
    .where('asset_lending.lock_asset_id', '=', lockId)
    .execute();
  return new Set(rows.map((row) => row.member_id));
}
