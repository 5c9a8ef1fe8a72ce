import { type LendAssets, Refusal } from '@lockstep/contract';
import type { LockedAsset } from './asset-scope.ts';

/** What decides whether assets can be lent into a borrowed lock. */
export interface LendingSituation {
  memberId: string;
  /** The enterprise's active asset of the number that is named as the lock. */
  lock: LockedAsset | undefined;
  /** The employees whose assets are lent into it. */
  lockHolderIds: ReadonlySet<string>;
  /** By asset id: the employee who holds it, and the lock that it is lent into. */
  holderOf: ReadonlyMap<string, string>;
  lockOf: ReadonlyMap<string, string>;
  /** Ids of assets with an active product of a concurrent node or more. */
  withNodes: ReadonlySet<string>;
}

/**
 * What M10 does: checks the lock, then the assets in order (decisions 8); answers the lock and the ids of those that are
 * not lent into it already.
 *
 * Throws a Refusal for the first fault.
 */
export function planLending(
  { borrowedUsbKey, assetIDs }: LendAssets,
  situation: LendingSituation,
): { lock: LockedAsset; lentIds: string[] } {
  const { memberId, lock, lockHolderIds, holderOf, lockOf, withNodes } = situation;
  if (!lock?.isBorrowedLock || !lock.isUsable) throw new Refusal('borrowed_lock_unusable', borrowedUsbKey);
  if ([...lockHolderIds].some((id) => id !== memberId)) throw new Refusal('borrowed_lock_taken', borrowedUsbKey);
  const lentIds = new Set<string>();
  for (const [index, assetId] of assetIDs.entries()) {
    const path = `assetIDs[${index}]`;
    if (holderOf.get(assetId) !== memberId) throw new Refusal('asset_not_held', path, assetId);
    const lentInto = lockOf.get(assetId);
    if (lentInto === lock.id) continue;
    if (lentInto !== undefined) throw new Refusal('asset_lent_elsewhere', path, assetId);
    if (!withNodes.has(assetId)) throw new Refusal('asset_without_nodes', path, assetId);
    lentIds.add(assetId);
  }
  return { lock, lentIds: [...lentIds] };
}
