import { type AssetId, type ConfigureAssets, type LendAssets, type MemberId, Refusal } from '@lockstep/contract';

/** The facts that decide whether assets can be unassigned from an employee, and others assigned. */
interface ConfigurationFacts {
  memberId: MemberId;
  /** The enterprise's active assets, by number. */
  assets: ReadonlyMap<string, AssetFacts>;
  /** Numbers of active assets of other enterprises. */
  elsewhere: ReadonlySet<string>;
  /** The employee an asset is assigned to, by asset id. */
  holderOf: ReadonlyMap<AssetId, MemberId>;
  /** The path of the lists. */
  at?: string;
}

/** The assets that are unassigned from an employee, then those that are assigned. */
export interface Configuration {
  withdrawn: AssetFacts[];
  assigned: AssetFacts[];
}

/**
 * Plans M9: first unassigns, then assigns; each change sees those before it (rules 8).
 *
 * Throws a Refusal for the first fault, in the order sent.
 */
function planConfiguration(
  { deleteAssets, addAssets }: ConfigureAssets,
  { memberId, assets, elsewhere, holderOf, at = '' }: ConfigurationFacts,
): Configuration {
  const changed = new Map<AssetId, MemberId | undefined>();
  const findHolder = (id: AssetId) => (changed.has(id) ? changed.get(id) : holderOf.get(id));
  const withdrawn = deleteAssets.map((assetNum, index) => {
    const path = `${at}deleteAssets[${index}]`;
    if (elsewhere.has(assetNum)) throw new Refusal('asset_of_other_enterprise', path, assetNum);
    const asset = assets.get(assetNum);
    if (asset === undefined || findHolder(asset.id) !== memberId) {
      throw new Refusal('asset_not_withdrawable', path, assetNum);
    }
    changed.set(asset.id, undefined);
    return asset;
  });
  const assignedBefore = new Set<string>();
  const assigned = addAssets.map((assetNum, index) => {
    const path = `${at}addAssets[${index}]`;
    if (elsewhere.has(assetNum)) throw new Refusal('asset_of_other_enterprise', path, assetNum);
    const asset = assets.get(assetNum);
    if (asset === undefined) throw new Refusal('asset_number_not_found', path, assetNum);
    if (asset.isBorrowedLock) throw new Refusal('asset_number_not_found', path, assetNum, 'borrowed_lock');
    const holderId = findHolder(asset.id);
    if (holderId !== undefined) {
      const how = assignedBefore.has(assetNum) ? 'repeated' : 'held';
      throw new Refusal('asset_configured_twice', path, assetNum, how, holderId);
    }
    if (asset.isFrozen) throw new Refusal('asset_frozen', path, assetNum);
    changed.set(asset.id, memberId);
    assignedBefore.add(assetNum);
    return asset;
  });
  return { withdrawn, assigned };
}

/** What M9 asks for one employee, or an entry of a call for several. `at` is the path of its lists. */
export interface Entry extends ConfigureAssets {
  memberId: MemberId;
  at: string;
}

/** The facts that decide about entries for several employees. */
export interface ConfigurationsFacts extends Omit<ConfigurationFacts, 'memberId' | 'at'> {
  /** Those of the employees who exist. */
  employeeIds: ReadonlySet<MemberId>;
}

/**
 * Plans entries for employees in the order sent: each is applied or refused alone, and sees those before it (rules 8).
 * Returns what each changes, or its Refusal, and to whom the assets are assigned at the end.
 */
export function planConfigurations(
  entries: readonly Entry[],
  { employeeIds, ...facts }: ConfigurationsFacts,
): { plans: (Configuration | Refusal)[]; holderOf: ReadonlyMap<AssetId, MemberId> } {
  const holderOf = new Map(facts.holderOf);
  const plans = entries.map(({ memberId, at, ...wanted }) => {
    if (!employeeIds.has(memberId)) return new Refusal('employee_not_matched', memberId);
    try {
      const plan = planConfiguration(wanted, { ...facts, memberId, holderOf, at });
      for (const { id } of plan.withdrawn) holderOf.delete(id);
      for (const { id } of plan.assigned) holderOf.set(id, memberId);
      return plan;
    } catch (error) {
      if (error instanceof Refusal) return error;
      throw error;
    }
  });
  return { plans, holderOf };
}

/** What the rules need to know about an active asset of the enterprise. */
export interface AssetFacts {
  id: AssetId;
  assetNum: string;
  isBorrowedLock: boolean;
  isLocked: boolean;
  isFrozen: boolean;
}

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
  /** Ids of assets that are frozen. */
  frozenIds: ReadonlySet<AssetId>;
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
  const { memberId, lock, lockHolderIds, holderOf, lockOf, frozenIds, idsWithNodes } = facts;
  if (!lock?.isBorrowedLock || lock.isLocked || lock.isFrozen)
    throw new Refusal('borrowed_lock_unusable', borrowedUsbKey);
  if ([...lockHolderIds].some((id) => id !== memberId)) throw new Refusal('borrowed_lock_taken', borrowedUsbKey);
  const lentIds = new Set<AssetId>();
  for (const [index, assetId] of assetIDs.entries()) {
    const path = `assetIDs[${index}]`;
    if (holderOf.get(assetId) !== memberId) throw new Refusal('asset_not_held', path, assetId);
    const lentInto = lockOf.get(assetId);
    if (lentInto === lock.id) continue;
    if (lentInto !== undefined) throw new Refusal('asset_lent_elsewhere', path, assetId);
    if (frozenIds.has(assetId)) throw new Refusal('asset_frozen_not_lent', path, assetId);
    if (!idsWithNodes.has(assetId)) throw new Refusal('asset_without_nodes', path, assetId);
    lentIds.add(assetId);
  }
  return { lock, lentIds: [...lentIds] };
}
