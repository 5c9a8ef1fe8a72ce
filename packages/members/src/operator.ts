import { randomUUID } from 'node:crypto';
import { newPassword } from '@lockstep/access';
import { type EnterpriseId, type MemberId, OPERATOR_ID } from '@lockstep/contract';
import { inTransaction } from '@lockstep/platform';
import type { Actor } from './actor.ts';
import { recordChanges } from './audit.ts';
import { resetPassword } from './edit-employee.ts';
import { accountOf } from './employee.ts';
import { findTenant, insertEmployees, lockEnterprise, selectEmployees } from './tenant.ts';
import type { PasswordTools } from './tools.ts';

/** An account with its new password, which is shown only this once (rules 9). */
export interface NewLogin {
  account: string;
  password: string;
}

/** The operator of the service, acting in an enterprise. */
const buildOperator = (enterpriseId: EnterpriseId): Actor => ({
  enterpriseId,
  channels: null,
  memberId: OPERATOR_ID,
  requestId: `operator-${randomUUID()}`,
});

/** Gives an employee a new random password; undefined if there is no such employee (rules 9). */
export async function setPassword(tools: PasswordTools, memberId: MemberId): Promise<NewLogin | undefined> {
  const tenant = await findTenant(tools.db, memberId);
  if (tenant === undefined) return undefined;
  const password = newPassword();
  const { account } = await resetPassword(tools, buildOperator(tenant.enterpriseId), memberId, password);
  return { account, password };
}

/**
 * Creates an administrator of an enterprise, named `admin` or the first free of `admin2`, `admin3`, …; undefined if there
 * is no such enterprise (rules 9).
 */
export async function createAdministrator(
  tools: PasswordTools,
  enterpriseId: EnterpriseId,
): Promise<NewLogin | undefined> {
  const password = newPassword();
  const [hash] = await tools.passwords.hashAll([password], { kind: 'operator', party: enterpriseId });
  const actor = buildOperator(enterpriseId);
  return inTransaction(tools.db, async (trx) => {
    const enterprise = await lockEnterprise(trx, actor);
    if (enterprise === undefined) return undefined;
    const taken = new Set(
      (await selectEmployees(trx, actor).select('user_name').execute()).map((row) => row.user_name),
    );
    let userName = 'admin';
    for (let number = 2; taken.has(userName); number++) userName = `admin${number}`;
    const name = 'Administrator';
    const [added] = await insertEmployees(trx, actor, [
      { user_name: userName, is_administrator: true, is_provisioned: true, name, password_hash: hash! },
    ]);
    const change = { before: null, after: { userName, name } };
    await recordChanges(trx, actor, [{ action: 'employee_added', targetId: added!.id, ...change }]);
    return { account: accountOf({ user_name: userName, code: enterprise.code }), password };
  });
}
