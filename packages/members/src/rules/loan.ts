import { type AssetId, type LendAssets, type MemberId, Refusal } from '@lockstep/contract';
import type { AssetFacts } from './configuration.ts';

/** The facts that decide whether assets can be lent into a borrowed lock. */
export interface LoanFacts {
  memberId: MemberId;
  /** The enterprise's active asset with the number of the lock. */
  lock: AssetFacts | undefined;
  /** The employees whose assets are lent into it. */
  lockHolderIds: ReadonlySet<MemberId>;
  /** The employee an asset is assigned to, by asset id. */
  holderOf: ReadonlyMap<AssetId, MemberId>;
  /** The id of the borrowed lock an asset is lent into, by asset id. */
  lockOf: ReadonlyMap<AssetId, AssetId>;
  /** Ids of assets that have an active product with at least one concurrent node. */
  idsWithNodes: ReadonlySet<AssetId>;
}

/**
 * Plans M10: checks the lock, then the assets in the order sent (rules 8). Returns the lock, and the ids of the assets
 * that are not lent into it yet.
 *
 * Throws a Refusal for the first fault.
 */
export function planLoan(
  { borrowedUsbKey, assetIDs }: LendAssets,
  facts: LoanFacts,
): { lock: AssetFacts; lentIds: AssetId[] } {
  const { memberId, lock, lockHolderIds, holderOf, lockOf, idsWithNodes } = facts;
  if (!lock?.isBorrowedLock || !lock.isUsable) throw new Refusal('borrowed_lock_unusable', borrowedUsbKey);
  if ([...lockHolderIds].some((id) => id !== memberId)) throw new Refusal('borrowed_lock_taken', borrowedUsbKey);
  const lentIds = new Set<AssetId>();
  for (const [index, assetId] of assetIDs.entries()) {
    const path = `assetIDs[${index}]`;
    if (holderOf.get(assetId) !== memberId) throw new Refusal('asset_not_held', path, assetId);
    const lentInto = lockOf.get(assetId);
    if (lentInto === lock.id) continue;
    if (lentInto !== undefined) throw new Refusal('asset_lent_elsewhere', path, assetId);
    if (!idsWithNodes.has(assetId)) throw new Refusal('asset_without_nodes', path, assetId);
    lentIds.add(assetId);
  }
  return { lock, lentIds: [...lentIds] };
}
