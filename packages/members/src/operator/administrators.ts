import type { EnterpriseId, MemberId } from '@lockstep/contract';
import { type Database, isId, type Trx } from '@lockstep/platform';
import { accountOf } from '../employees/employee.ts';
import {
  buildOperator,
  createAdministratorUnless,
  giveNewPassword,
  type MemberLogin,
  type OperatorCall,
} from '../employees/passwords.ts';
import { type Actor, type PasswordTools, selectEmployees } from '../tenant.ts';

/** Gives an administrator of an enterprise a new random password; undefined if the administrator does not exist. */
export async function setAdministratorPassword(
  tools: PasswordTools,
  { enterpriseId, memberId }: { enterpriseId: EnterpriseId; memberId: MemberId },
  call: OperatorCall,
): Promise<MemberLogin | undefined> {
  const actor = buildOperator(enterpriseId, call);
  if (!isId(enterpriseId) || !(await isAdministrator(tools.db, actor, memberId))) return undefined;
  // An employee stops being an administrator only by being deleted, which the transaction checks again.
  return { memberId, ...(await giveNewPassword(tools, actor, memberId, call)) };
}

/** An administrator that already exists. */
interface Existing {
  existingAccount: string;
}

/**
 * Creates the first administrator of an enterprise, like `createAdministrator`; undefined if the enterprise does not
 * exist. If it already has an administrator, this is a no-op that returns the existing account.
 */
export function createFirstAdministrator(
  tools: PasswordTools,
  enterpriseId: EnterpriseId,
  call: OperatorCall,
): Promise<MemberLogin | Existing | undefined> {
  return createAdministratorUnless(tools, enterpriseId, call, async (trx, actor, code) => {
    const found = await findAdministrator(trx, actor);
    return found && { existingAccount: accountOf({ ...found, code }) };
  });
}

async function findAdministrator(trx: Trx, actor: Actor): Promise<{ user_name: string } | undefined> {
  return selectEmployees(trx, actor)
    .select('user_name')
    .where('is_administrator', '=', true)
    .orderBy('member.id')
    .limit(1)
    .executeTakeFirst();
}

async function isAdministrator(db: Database, actor: Actor, memberId: MemberId): Promise<boolean> {
  if (!isId(memberId)) return false;
  const found = await selectEmployees(db, actor)
    .select('is_administrator')
    .where('member.id', '=', memberId)
    .executeTakeFirst();
  return found?.is_administrator === true;
}
