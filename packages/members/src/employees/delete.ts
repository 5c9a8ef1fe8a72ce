import { endLogins } from '@lockstep/access';
import { NOW } from '@lockstep/assets';
import { type MemberId, Refusal } from '@lockstep/contract';
import { type Database, inTransaction, type Trx } from '@lockstep/platform';
import { endHoldings, readHoldings } from '../assets/holdings.ts';
import { acrossChannels, idsOf, lockEnterpriseAssets, selectEnterpriseAssets } from '../assets/tenant.ts';
import { recordChanges } from '../audit.ts';
import { type Actor, lockEmployeeToDelete, lockEnterprise, selectEmployees, updateEmployee } from '../tenant.ts';
import { accountOf, recordedFields } from './employee.ts';

/**
 * M4: deletes an employee and releases their assets (rules 8). The row stays.
 *
 * Throws a Refusal: employee_not_found, last_administrator.
 */
export function deleteEmployee(db: Database, actor: Actor, memberId: MemberId): Promise<void> {
  return inTransaction(db, async (trx) => {
    const employee = await lockEmployeeToDelete(trx, actor, memberId);
    if (employee === undefined) throw new Refusal('employee_not_found', memberId);
    const held = await lockHeld(trx, actor, memberId);
    if (employee.is_administrator) {
      // Prevents two calls from deleting the last two administrators. The enterprise is locked after the assets, so
      // that a call that waits for the enterprise never waits for assets as well.
      await lockEnterprise(trx, actor);
      if (!(await hasOtherAdministrator(trx, actor, memberId))) throw new Refusal('last_administrator');
    }
    const lent = await endHoldings(trx, actor, idsOf(held));
    await endLogins(trx, { id: memberId, account: accountOf(employee) });
    await updateEmployee(trx, actor, memberId, { deleted_time: NOW });
    const before = {
      ...recordedFields(employee),
      assetNums: held.map(({ assetNum }) => assetNum),
      lent,
    };
    await recordChanges(trx, actor, [{ action: 'employee_deleted', targetId: memberId, before, after: null }]);
  });
}

async function hasOtherAdministrator(trx: Trx, actor: Actor, memberId: MemberId): Promise<boolean> {
  const other = await selectEmployees(trx, actor)
    .select('member.id')
    .where('is_administrator', '=', true)
    .where('member.id', '<>', memberId)
    .limit(1)
    .executeTakeFirst();
  return other !== undefined;
}

/**
 * Locks the assets of an employee, of any channel, in the order of their numbers. The employee is locked, so no asset
 * is assigned meanwhile. Omits an asset that an order released while this call waited, even if it is now assigned to
 * another employee.
 */
async function lockHeld(trx: Trx, actor: Actor, memberId: MemberId) {
  const enterprise = acrossChannels(actor);
  const rows = await selectEnterpriseAssets(trx, enterprise)
    .innerJoin('asset_assignment', 'asset_assignment.asset_id', 'asset.id')
    .select('asset.id')
    .where('asset_assignment.member_id', '=', memberId)
    .execute();
  const locked = await lockEnterpriseAssets(trx, enterprise, { assetIds: idsOf(rows) });
  const { holderOf } = await readHoldings(trx, idsOf(locked));
  return locked.filter(({ id }) => holderOf.get(id) === memberId);
}
