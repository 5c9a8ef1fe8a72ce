import { endLogins } from '@lockstep/access';
import { NOW, releaseAssets } from '@lockstep/assets';
import { Refusal } from '@lockstep/contract';
import type { Trx } from '@lockstep/platform';
import { assetsOf, lockAssets, wholeOf } from './asset-scope.ts';
import { recordChanges } from './audit.ts';
import { accountOf, fieldsOf } from './employee.ts';
import { readHoldings, readLent } from './holdings.ts';
import { type Actor, employeesOf, lockEnterprise, lockLeaving, updateEmployee } from './scope.ts';
import type { HoldingTools } from './tools.ts';

/**
 * M4: deletes an employee, who stays on record, and releases what they hold (decisions 8).
 *
 * Throws a Refusal: employee_not_found, last_administrator.
 */
export function deleteEmployee({ changes, deadline }: HoldingTools, actor: Actor, memberId: string): Promise<void> {
  return changes.run(actor.enterpriseId, deadline, async (trx) => {
    const employee = await lockLeaving(trx, actor, memberId);
    if (employee === undefined) throw new Refusal('employee_not_found', memberId);
    const held = await lockHeld(trx, actor, memberId);
    if (employee.is_administrator) {
      // Whether one is the last is decided one at a time. After the assets, so that nobody waits for those as well.
      await lockEnterprise(trx, actor);
      if (!(await hasOtherAdministrator(trx, actor, memberId))) throw new Refusal('last_administrator');
    }
    const heldIds = held.map(({ id }) => id);
    const lent = await readLent(trx, actor, heldIds);
    await releaseAssets(trx, heldIds);
    await endLogins(trx, { id: memberId, account: accountOf(employee) });
    await updateEmployee(trx, actor, memberId, { deleted_time: NOW });
    const before = {
      ...fieldsOf(employee),
      assetNums: held.map(({ assetNum }) => assetNum),
      lent,
    };
    await recordChanges(trx, actor, [{ action: 'employee_deleted', targetId: memberId, before, after: null }]);
  });
}

async function hasOtherAdministrator(trx: Trx, actor: Actor, memberId: string): Promise<boolean> {
  const other = await employeesOf(trx, actor)
    .select('member.id')
    .where('is_administrator', '=', true)
    .where('member.id', '<>', memberId)
    .limit(1)
    .executeTakeFirst();
  return other !== undefined;
}

/**
 * Locks what an employee holds, of whatever channel, in the order of the numbers. The employee is locked, so it cannot become more meanwhile;
 * what an order released while this waited, and another employee has now, is left alone.
 */
async function lockHeld(trx: Trx, actor: Actor, memberId: string) {
  const enterprise = wholeOf(actor);
  const rows = await assetsOf(trx, enterprise)
    .innerJoin('asset_assignment', 'asset_assignment.asset_id', 'asset.id')
    .select('asset.id')
    .where('asset_assignment.member_id', '=', memberId)
    .execute();
  const locked = await lockAssets(trx, enterprise, { assetIds: rows.map(({ id }) => id) });
  const { holderOf } = await readHoldings(
    trx,
    locked.map(({ id }) => id),
  );
  return locked.filter(({ id }) => holderOf.get(id) === memberId);
}
