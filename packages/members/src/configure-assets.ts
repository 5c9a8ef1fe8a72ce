import { releaseAssets } from '@lockstep/assets';
import { type ConfigureAssets, Refusal } from '@lockstep/contract';
import { insertRows } from '@lockstep/platform';
import { lockAssets, numbersElsewhere } from './asset-scope.ts';
import { recordChanges } from './audit.ts';
import { planConfiguration } from './configuration-rules.ts';
import { readHoldings, readLent } from './holdings.ts';
import { type Actor, keepEmployee } from './scope.ts';
import type { HoldingTools } from './tools.ts';

/**
 * M9: withdraws assets from an employee, then assigns others, all or none of it (decisions 8). A withdrawn asset is not
 * lent any more.
 *
 * Throws a Refusal: employee_not_matched, asset_not_withdrawable, asset_number_not_found, asset_of_other_enterprise,
 * asset_configured_twice.
 */
export function configureAssets(
  { changes, deadline }: HoldingTools,
  actor: Actor,
  memberId: string,
  wanted: ConfigureAssets,
): Promise<void> {
  return changes.run(actor.enterpriseId, deadline, async (trx) => {
    if (!(await keepEmployee(trx, actor, memberId))) throw new Refusal('employee_not_matched', memberId);
    const assetNums = [...new Set([...wanted.deleteAssets, ...wanted.addAssets])];
    const locked = await lockAssets(trx, actor, { assetNums });
    const assets = new Map(locked.map((asset) => [asset.assetNum, asset]));
    const elsewhere = await numbersElsewhere(
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
    const withdrawnIds = withdrawn.map(({ id }) => id);
    const lent = await readLent(trx, actor, withdrawnIds);
    await releaseAssets(trx, withdrawnIds);
    await insertRows(trx, 'asset_assignment', [
      ['asset_id', 'bigint', assigned.map(({ id }) => id)],
      ['member_id', 'bigint', assigned.map(() => memberId)],
    ]);
    const numbersOf = (held: typeof withdrawn) => held.map(({ assetNum }) => assetNum);
    const before = { assetNums: numbersOf(withdrawn), lent };
    const after = { assetNums: numbersOf(assigned), lent: [] };
    await recordChanges(trx, actor, [{ action: 'assets_configured', targetId: memberId, before, after }]);
  });
}
