import { endLogins } from '@lockstep/access';
import { ACCOUNT_CHARACTERS, type EditEmployee, type MemberId, OPERATOR_ID, Refusal } from '@lockstep/contract';
import { type Database, inTransaction, type Trx } from '@lockstep/platform';
import { recordChanges } from '../audit.ts';
import { type Actor, lockEmployee, type PasswordTools, updateEmployee } from '../tenant.ts';
import { accountOf, recordedFields } from './employee.ts';

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
  alsoRecord: (trx: Trx, changed: { memberId: MemberId; account: string }) => Promise<void> = async () => {},
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
    await alsoRecord(trx, { memberId, account });
    return { account };
  });
}
