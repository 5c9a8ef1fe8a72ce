import { releaseAssets } from '@lockstep/assets';
import {
  type AssetId,
  type ConfigureAssets,
  type EmployeePrivileges,
  type LendAssets,
  type MemberId,
  Refusal,
} from '@lockstep/contract';
import { type Database, insertRows, inTransaction, type Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { recordChanges } from '../audit.ts';
import { type Entry, planConfigurations, planLoan } from '../rules/holdings.ts';
import {
  type Actor,
  acrossChannels,
  findNumbersElsewhere,
  idsOf,
  keepEmployees,
  lockEnterpriseAssets,
  selectEnterpriseAssets,
} from '../tenant.ts';

/**
 * M9: unassigns assets from an employee, then assigns others, all or nothing (rules 8). Unassigning an asset ends its
 * loan.
 *
 * Throws a Refusal: employee_not_matched, asset_not_withdrawable, asset_number_not_found, asset_of_other_enterprise,
 * asset_configured_twice, asset_frozen.
 */
export async function configureAssets(
  db: Database,
  actor: Actor,
  memberId: MemberId,
  wanted: ConfigureAssets,
): Promise<void> {
  const [refusal] = await configure(db, actor, [{ ...wanted, memberId, at: '' }]);
  if (refusal !== undefined) throw refusal;
}

/**
 * Does what M9 does for many employees, each entry alone and after those before it (rules 8). Returns for each entry
 * its Refusal; undefined if it is applied. A preview changes nothing.
 */
export function configureEmployees(
  db: Database,
  actor: Actor,
  privileges: readonly EmployeePrivileges[],
  isPreview: boolean,
): Promise<(Refusal | undefined)[]> {
  const entries = privileges.map(({ memberGlobalId: memberId, ...wanted }, index) => {
    return { ...wanted, memberId, at: `privileges[${index}].` };
  });
  return configure(db, actor, entries, isPreview);
}

function configure(
  db: Database,
  actor: Actor,
  entries: readonly Entry[],
  isPreview = false,
): Promise<(Refusal | undefined)[]> {
  return inTransaction(db, async (trx) => {
    const memberIds = entries.map(({ memberId }) => memberId);
    const employeeIds = await keepEmployees(trx, actor, memberIds);
    const named = entries.filter(({ memberId }) => employeeIds.has(memberId));
    const assetNums = [...new Set(named.flatMap(({ deleteAssets, addAssets }) => [...deleteAssets, ...addAssets]))];
    const locked = await lockEnterpriseAssets(trx, actor, { assetNums });
    const assets = new Map(locked.map((asset) => [asset.assetNum, asset]));
    const elsewhere = await findNumbersElsewhere(
      trx,
      actor,
      assetNums.filter((assetNum) => !assets.has(assetNum)),
    );
    const { holderOf } = await readHoldings(trx, idsOf(locked));
    const { plans, holderOf: holderAfter } = planConfigurations(entries, { employeeIds, assets, elsewhere, holderOf });
    const refusals = plans.map((plan) => (plan instanceof Refusal ? plan : undefined));
    if (isPreview) return refusals;
    const applied = plans.flatMap((plan, index) => {
      const isChange = !(plan instanceof Refusal) && plan.withdrawn.length + plan.assigned.length > 0;
      return isChange ? [{ ...plan, memberId: memberIds[index]! }] : [];
    });
    const released = new Set(applied.flatMap(({ withdrawn }) => idsOf(withdrawn)));
    const assigned = new Set(applied.flatMap(({ assigned }) => idsOf(assigned)));
    const lent = Map.groupBy(await endHoldings(trx, actor, [...released], 'withdrawn'), ({ assetNum }) => assetNum);
    await assignAssets(trx, actor, new Map([...holderAfter].filter(([id]) => assigned.has(id))));
    const changes = applied.map(({ memberId, withdrawn, assigned }) => {
      const ended = withdrawn.flatMap(({ assetNum }) => lent.get(assetNum) ?? []);
      for (const { assetNum } of ended) lent.delete(assetNum);
      const before = { assetNums: withdrawn.map(({ assetNum }) => assetNum), lent: ended };
      const after = { assetNums: assigned.map(({ assetNum }) => assetNum), lent: [] };
      return { action: 'assets_configured' as const, targetId: memberId, before, after };
    });
    await recordChanges(trx, actor, changes);
    return refusals;
  });
}

/**
 * M10: lends assets of an employee into a borrowed lock, all or nothing (rules 8). Lending them again is a no-op.
 *
 * Throws a Refusal: employee_not_matched, borrowed_lock_unusable, borrowed_lock_taken, asset_not_held,
 * asset_lent_elsewhere, asset_frozen_not_lent, asset_without_nodes.
 */
export function lendAssets(db: Database, actor: Actor, memberId: MemberId, wanted: LendAssets): Promise<void> {
  return inTransaction(db, async (trx) => {
    if (!(await keepEmployees(trx, actor, [memberId])).has(memberId))
      throw new Refusal('employee_not_matched', memberId);
    const { borrowedUsbKey, assetIDs } = wanted;
    const locked = await lockEnterpriseAssets(trx, actor, { assetNums: [borrowedUsbKey], assetIds: assetIDs });
    const lock = locked.find(({ assetNum }) => assetNum === borrowedUsbKey);
    const lockHolderIds = lock === undefined ? new Set<MemberId>() : await readLockHolders(trx, lock.id);
    const holdings = await readHoldings(trx, idsOf(locked));
    const { holderOf, lockOf } = holdings;
    const lendable = assetIDs.filter((id) => holderOf.get(id) === memberId && !lockOf.has(id));
    const nodelessId = await findNodeless(trx, lendable);
    const idsWithNodes = new Set(lendable.filter((id) => id !== nodelessId));
    const frozenIds = new Set(idsOf(locked.filter(({ isFrozen }) => isFrozen)));
    const facts = { memberId, lock, lockHolderIds, ...holdings, frozenIds, idsWithNodes };
    const { lock: usable, lentIds } = planLoan(wanted, facts);
    if (lentIds.length === 0) return;
    await lendIntoLock(trx, actor, usable.id, lentIds);
    const lent = locked
      .filter(({ id }) => lentIds.includes(id))
      .map(({ assetNum }) => ({ assetNum, borrowedUsbKey: usable.assetNum }));
    const change = { before: { lent: [] }, after: { lent } };
    await recordChanges(trx, actor, [{ action: 'assets_lent', targetId: memberId, ...change }]);
  });
}

/**
 * Returns the first asset without an active product that has a concurrent node; undefined if every asset has one. Stops
 * there, because proving that an asset has no node means reading all its products.
 */
async function findNodeless(trx: Trx, assetIds: AssetId[]): Promise<AssetId | undefined> {
  const { rows } = await sql<{ id: AssetId }>`
    select id from (
      select id from unnest(${assetIds}::bigint[]) with ordinality as named (id, place) order by place
    ) as named
    where (
      select true from product_instance p
      where p.asset_id = named.id and p.revoked_time is null and p.limit_concurrent >= 1 limit 1
    ) is null
    limit 1`.execute(trx);
  return rows[0]?.id;
}

/**
 * Assignments and loans of assets: rows of `asset_assignment` and `asset_lending`. The transaction has locked every
 * asset here.
 */
interface Holdings {
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
  const { rows } = await sql<{ id: AssetId; memberId: MemberId; lockId: AssetId | null }>`
    select asset_id as id, member_id as "memberId", lock_asset_id as "lockId"
    from asset_assignment left join asset_lending using (asset_id)
    where asset_id = any (${assetIds}::bigint[])`.execute(trx);
  return {
    holderOf: new Map(rows.map(({ id, memberId }) => [id, memberId])),
    lockOf: new Map(rows.flatMap(({ id, lockId }) => (lockId === null ? [] : [[id, lockId]]))),
  };
}

/** Assigns assets to employees. */
async function assignAssets(trx: Trx, by: Actor, holderOf: ReadonlyMap<AssetId, MemberId>): Promise<void> {
  await insertRows(trx, 'asset_assignment', [
    ['asset_id', 'bigint', [...holderOf.keys()]],
    ['member_id', 'bigint', [...holderOf.values()]],
    ['enterprise_id', 'bigint', [...holderOf].map(() => by.enterpriseId)],
    ['created_by', 'bigint', [...holderOf].map(() => by.memberId)],
  ]);
}

/** Lends assets into a borrowed lock. */
async function lendIntoLock(trx: Trx, by: Actor, lockId: AssetId, assetIds: AssetId[]): Promise<void> {
  await insertRows(trx, 'asset_lending', [
    ['asset_id', 'bigint', assetIds],
    ['lock_asset_id', 'bigint', assetIds.map(() => lockId)],
    ['enterprise_id', 'bigint', assetIds.map(() => by.enterpriseId)],
    ['created_by', 'bigint', assetIds.map(() => by.memberId)],
  ]);
}

/** Ends the assignments and loans of assets of any channel. Returns the assets that were lent. */
export async function endHoldings(
  trx: Trx,
  actor: Actor,
  assetIds: AssetId[],
  cause: 'withdrawn' | 'employee_deleted',
): Promise<LentAsset[]> {
  const assets = () => selectEnterpriseAssets(trx, acrossChannels(actor)).select(['asset.id', 'asset.asset_num']);
  const { rows: lent } = await sql<LentAsset>`
    select own.asset_num as "assetNum", lock.asset_num as "borrowedUsbKey" from asset_lending
    join ${assets()} as own on own.id = asset_id join ${assets()} as lock on lock.id = lock_asset_id
    where asset_id = any (${assetIds}::bigint[]) order by own.asset_num`.execute(trx);
  await releaseAssets(trx, { ids: assetIds, by: actor.memberId, cause });
  return lent;
}

/** Returns the employees whose assets are lent into a borrowed lock. */
async function readLockHolders(trx: Trx, lockId: AssetId): Promise<Set<MemberId>> {
  const { rows } = await sql<{ memberId: MemberId }>`
    select distinct member_id as "memberId" from asset_lending join asset_assignment using (asset_id)
    where lock_asset_id = ${lockId}`.execute(trx);
  return new Set(rows.map(({ memberId }) => memberId));
}
