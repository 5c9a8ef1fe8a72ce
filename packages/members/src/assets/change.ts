import { type AssetId, type ConfigureAssets, type LendAssets, type MemberId, Refusal } from '@lockstep/contract';
import { type Database, inTransaction, type Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { recordChanges } from '../audit.ts';
import { planConfiguration, planLoan } from '../rules/holdings.ts';
import { type Actor, keepEmployee } from '../tenant.ts';
import { assignAssets, endHoldings, lendIntoLock, readHoldings, readLockHolders } from './holdings.ts';
import { findNumbersElsewhere, idsOf, lockEnterpriseAssets } from './tenant.ts';

/**
 * M9: unassigns assets from an employee, then assigns others, all or nothing (rules 8). Unassigning an asset ends its
 * loan.
 *
 * Throws a Refusal: employee_not_matched, asset_not_withdrawable, asset_number_not_found, asset_of_other_enterprise,
 * asset_configured_twice.
 */
export function configureAssets(
  db: Database,
  actor: Actor,
  memberId: MemberId,
  wanted: ConfigureAssets,
): Promise<void> {
  return inTransaction(db, async (trx) => {
    if (!(await keepEmployee(trx, actor, memberId))) throw new Refusal('employee_not_matched', memberId);
    const assetNums = [...new Set([...wanted.deleteAssets, ...wanted.addAssets])];
    const locked = await lockEnterpriseAssets(trx, actor, { assetNums });
    const assets = new Map(locked.map((asset) => [asset.assetNum, asset]));
    const elsewhere = await findNumbersElsewhere(
      trx,
      actor,
      assetNums.filter((assetNum) => !assets.has(assetNum)),
    );
    const { holderOf } = await readHoldings(trx, idsOf(locked));
    const { withdrawn, assigned } = planConfiguration(wanted, { memberId, assets, elsewhere, holderOf });
    if (withdrawn.length + assigned.length === 0) return;
    const lent = await endHoldings(trx, actor, idsOf(withdrawn));
    await assignAssets(trx, memberId, idsOf(assigned));
    const before = { assetNums: withdrawn.map(({ assetNum }) => assetNum), lent };
    const after = { assetNums: assigned.map(({ assetNum }) => assetNum), lent: [] };
    await recordChanges(trx, actor, [{ action: 'assets_configured', targetId: memberId, before, after }]);
  });
}

/**
 * M10: lends assets of an employee into a borrowed lock, all or nothing (rules 8). Lending them again is a no-op.
 *
 * Throws a Refusal: employee_not_matched, borrowed_lock_unusable, borrowed_lock_taken, asset_not_held,
 * asset_lent_elsewhere, asset_without_nodes.
 */
export function lendAssets(db: Database, actor: Actor, memberId: MemberId, wanted: LendAssets): Promise<void> {
  return inTransaction(db, async (trx) => {
    if (!(await keepEmployee(trx, actor, memberId))) throw new Refusal('employee_not_matched', memberId);
    const { borrowedUsbKey, assetIDs } = wanted;
    const locked = await lockEnterpriseAssets(trx, actor, { assetNums: [borrowedUsbKey], assetIds: assetIDs });
    const lock = locked.find(({ assetNum }) => assetNum === borrowedUsbKey);
    const lockHolderIds = lock === undefined ? new Set<MemberId>() : await readLockHolders(trx, lock.id);
    const holdings = await readHoldings(trx, idsOf(locked));
    const { holderOf, lockOf } = holdings;
    const lendable = assetIDs.filter((id) => holderOf.get(id) === memberId && !lockOf.has(id));
    const nodelessId = await findNodeless(trx, lendable);
    const idsWithNodes = new Set(lendable.filter((id) => id !== nodelessId));
    const facts = { memberId, lock, lockHolderIds, ...holdings, idsWithNodes };
    const { lock: usable, lentIds } = planLoan(wanted, facts);
    if (lentIds.length === 0) return;
    await lendIntoLock(trx, usable.id, lentIds);
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
