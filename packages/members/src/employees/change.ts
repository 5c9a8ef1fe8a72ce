import { endLogins, type PasswordTools } from '@lockstep/access';
import { NOW } from '@lockstep/assets';
import {
  ACCOUNT_CHARACTERS,
  type EditEmployee,
  type Employee,
  type EnterpriseId,
  type MemberId,
  OPERATOR_ID,
  Refusal,
} from '@lockstep/contract';
import { type Database, inTransaction, parseBigint, type Trx } from '@lockstep/platform';
import { endHoldings, readHoldings } from '../assets/change.ts';
import { recordChanges } from '../audit.ts';
import {
  type Actor,
  acrossChannels,
  type EmployeeRow,
  idsOf,
  lockEmployee,
  lockEnterprise,
  lockEnterpriseAssets,
  selectEmployees,
  selectEnterpriseAssets,
  updateEmployee,
} from '../tenant.ts';

/** Returns the account name that an employee logs in with (rules 5). */
export function accountOf(row: Pick<EmployeeRow, 'user_name' | 'code'>): string {
  return `${row.user_name}@${row.code}`;
}

/** Returns the fields of an employee that audit entries show. */
export function recordedFields(row: Omit<EmployeeRow, 'code'>) {
  return {
    userName: row.user_name,
    name: row.name,
    departmentId: parseBigint(row.department_id),
    remark: row.remark,
    passwordMobile: row.password_mobile,
  };
}

/** Returns an employee as clients see it (interface Employee). */
export function buildEmployee(row: EmployeeRow): Employee {
  return {
    id: row.id,
    userId: row.id,
    globalId: row.id,
    enterpriseId: row.enterprise_id,
    departmentId: parseBigint(row.department_id),
    departmentName: null,
    userName: accountOf(row),
    name: row.name,
    remark: row.remark,
    deleted: row.deleted_time !== null,
    updateTime: row.updated_time.getTime(),
    createTime: row.created_time.getTime(),
  };
}

/**
 * M2: changes an employee's name, department, remark and security mobile. An absent field keeps its value; null clears
 * it (rules 8). An edit that changes nothing is a no-op and has no audit entry.
 *
 * Throws a Refusal: employee_not_found, account_malformed, account_mismatch.
 */
export function editEmployee(db: Database, actor: Actor, memberId: MemberId, edit: EditEmployee): Promise<void> {
  return inTransaction(db, async (trx) => {
    const employee = await lockEmployee(trx, actor, memberId);
    if (employee === undefined) throw new Refusal('employee_not_found', memberId);
    const [userName, code = employee.code] = edit.userName.split('@');
    if (userName!.length + code.length >= ACCOUNT_CHARACTERS) throw new Refusal('account_malformed', 'userName');
    if (employee.user_name !== userName || employee.code !== code) throw new Refusal('account_mismatch', memberId);
    const before = recordedFields(employee);
    const after = { ...before, ...pickWanted(edit) };
    const changed = FIELDS.filter((field) => before[field] !== after[field]);
    if (changed.length === 0) return;
    await updateEmployee(trx, actor, memberId, {
      name: after.name,
      department_id: after.departmentId?.toString() ?? null,
      remark: after.remark,
      password_mobile: after.passwordMobile,
    });
    const pick = (fields: Fields) => Object.fromEntries(changed.map((field) => [field, fields[field]]));
    const change = { before: pick(before), after: pick(after) };
    await recordChanges(trx, actor, [{ action: 'employee_edited', targetId: memberId, ...change }]);
  });
}

const FIELDS = ['name', 'departmentId', 'remark', 'passwordMobile'] as const;

type Fields = ReturnType<typeof recordedFields>;

/** Returns the fields that are present in an edit. */
function pickWanted(edit: EditEmployee): Partial<Fields> {
  return Object.fromEntries(FIELDS.filter((field) => edit[field] !== undefined).map((field) => [field, edit[field]]));
}

/** The employee that a change concerned. */
export interface ChangedMember {
  memberId: MemberId;
  account: string;
  enterpriseId: EnterpriseId;
}

/**
 * M3: gives an employee a new password. Ends the employee's tokens and any lock from failed logins (rules 2 and 8).
 * `alsoRecord` runs in the same transaction.
 *
 * Throws a Refusal: employee_not_found; and an Overload.
 */
export async function resetPassword(
  { db, passwords, signal }: PasswordTools,
  actor: Actor,
  memberId: MemberId,
  password: string,
  alsoRecord: (trx: Trx, changed: ChangedMember) => Promise<void> = async () => {},
): Promise<{ account: string }> {
  const party = actor.memberId === OPERATOR_ID ? 'operators' : `reset ${actor.enterpriseId}`;
  const [hash] = await passwords.hashAll([password], { party, signal });
  return inTransaction(db, async (trx) => {
    const employee = await lockEmployee(trx, actor, memberId);
    if (employee === undefined) throw new Refusal('employee_not_found', memberId);
    const account = accountOf(employee);
    await updateEmployee(trx, actor, memberId, { password_hash: hash! });
    await endLogins(trx, { id: memberId, account });
    await recordChanges(trx, actor, [{ action: 'password_reset', targetId: memberId, before: null, after: null }]);
    await alsoRecord(trx, { memberId, account, enterpriseId: actor.enterpriseId });
    return { account };
  });
}

/**
 * M4: deletes an employee and releases their assets (rules 8). The row stays.
 *
 * Throws a Refusal: employee_not_found, last_administrator.
 */
export function deleteEmployee(db: Database, actor: Actor, memberId: MemberId): Promise<void> {
  return inTransaction(db, async (trx) => {
    const employee = await lockEmployee(trx, actor, memberId, { toDelete: true });
    if (employee === undefined) throw new Refusal('employee_not_found', memberId);
    const held = await lockHeld(trx, actor, memberId);
    if (employee.is_administrator) {
      // Prevents two calls from deleting the last two administrators. The enterprise is locked after the assets, so
      // that a call that waits for the enterprise never waits for assets as well.
      await lockEnterprise(trx, actor);
      const administrators = selectEmployees(trx, actor).select('member.id').where('is_administrator', '=', true);
      const others = await administrators.where('member.id', '<>', memberId).limit(1).execute();
      if (others.length === 0) throw new Refusal('last_administrator');
    }
    const lent = await endHoldings(trx, actor, idsOf(held), 'employee_deleted');
    await endLogins(trx, { id: memberId, account: accountOf(employee) });
    await updateEmployee(trx, actor, memberId, { deleted_time: NOW });
    const before = { ...recordedFields(employee), assetNums: held.map(({ assetNum }) => assetNum), lent };
    await recordChanges(trx, actor, [{ action: 'employee_deleted', targetId: memberId, before, after: null }]);
  });
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
