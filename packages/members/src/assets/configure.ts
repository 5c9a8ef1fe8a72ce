import { type ConfigureAssets, type MemberId, Refusal } from '@lockstep/contract';
import { type Database, inTransaction } from '@lockstep/platform';
import { recordChanges } from '../audit.ts';
import { planConfiguration } from '../rules/configuration.ts';
import { keepEmployee } from '../tenant.ts';
import type { Actor } from '../tools.ts';
import { assignAssets, endHoldings, readHoldings } from './holdings.ts';
import { findNumbersElsewhere, lockEnterpriseAssets } from './tenant.ts';

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
    const { holderOf } = await readHoldings(
      trx,
      locked.map(({ id }) => id),
    );
    const { withdrawn, assigned } = planConfiguration(wanted, { memberId, assets, elsewhere, holderOf });
    if (withdrawn.length + assigned.length === 0) return;
    const lent = await endHoldings(
      trx,
      actor,
      withdrawn.map(({ id }) => id),
    );
    await assignAssets(
      trx,
      memberId,
      assigned.map(({ id }) => id),
    );
    const before = { assetNums: withdrawn.map(({ assetNum }) => assetNum), lent };
    const after = { assetNums: assigned.map(({ assetNum }) => assetNum), lent: [] };
    await recordChanges(trx, actor, [{ action: 'assets_configured', targetId: memberId, before, after }]);
  });
}
