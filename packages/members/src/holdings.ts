import type { Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { assetsOf, wholeOf } from './asset-scope.ts';
import type { Actor } from './scope.ts';

/** Who holds which of some assets, and what they are lent into. */
export interface Holdings {
  /** By asset id, the employee who holds it. */
  holderOf: ReadonlyMap<string, string>;
  /** By asset id, the borrowed lock's. */
  lockOf: ReadonlyMap<string, string>;
}

/** Reads the holdings of assets that the transaction has locked. */
export async function readHoldings(trx: Trx, assetIds: string[]): Promise<Holdings> {
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

/** What of some assets is lent, for the audit record: each number with that of its lock. */
export async function readLent(
  trx: Trx,
  actor: Actor,
  assetIds: string[],
): Promise<{ assetNum: string; borrowedUsbKey: string }[]> {
  const assets = () => assetsOf(trx, wholeOf(actor)).select(['asset.id', 'asset.asset_num']);
  return trx
    .selectFrom('asset_lending')
    .innerJoin(assets().as('own'), 'own.id', 'asset_lending.asset_id')
    .innerJoin(assets().as('lock'), 'lock.id', 'asset_lending.lock_asset_id')
    .select(['own.asset_num as assetNum', 'lock.asset_num as borrowedUsbKey'])
    .where(sql<boolean>`asset_lending.asset_id = any (${assetIds}::bigint[])`)
    .orderBy('own.asset_num')
    .execute();
}
