import { randomUUID } from 'node:crypto';
import { newPassword } from '@lockstep/access';
import { type EnterpriseId, type MemberId, OPERATOR_ID } from '@lockstep/contract';
import { inTransaction, type Trx } from '@lockstep/platform';
import { recordChanges } from '../audit.ts';
import {
  type Actor,
  findTenant,
  insertEmployees,
  lockEnterprise,
  type PasswordTools,
  selectEmployees,
} from '../tenant.ts';
import { resetPassword } from './edit.ts';
import { accountOf } from './employee.ts';

/** An account and its new password, which is shown only once (rules 9). */
export interface NewLogin {
  account: string;
  password: string;
}

/** The same, with the employee's id. */
export interface MemberLogin extends NewLogin {
  memberId: MemberId;
}

/** The employee that a change concerned. */
interface ChangedMember {
  memberId: MemberId;
  account: string;
  enterpriseId: EnterpriseId;
}

/** An operator's call that changes an enterprise. */
export interface OperatorCall {
  /** Identifies the call in the enterprise's audit log, like the x-request-id of an API call. */
  requestId: string;
  /** Runs in the transaction of the change, for example to add an entry to the operators' audit log. */
  record: (trx: Trx, changed: ChangedMember) => Promise<void>;
}

/** A call without another audit entry. */
const newCall = (): OperatorCall => ({ requestId: `operator-${randomUUID()}`, record: async () => {} });

/** Returns an operator as an actor in an enterprise. */
export const buildOperator = (enterpriseId: EnterpriseId, { requestId }: OperatorCall): Actor => ({
  enterpriseId,
  channels: null,
  memberId: OPERATOR_ID,
  requestId,
});

const alsoRecord =
  ({ enterpriseId }: Actor, { record }: OperatorCall) =>
  (trx: Trx, changed: Omit<ChangedMember, 'enterpriseId'>) =>
    record(trx, { ...changed, enterpriseId });

/** Gives an employee a new random password; undefined if the employee does not exist (rules 9). */
export async function setPassword(
  tools: PasswordTools,
  memberId: MemberId,
  call: OperatorCall = newCall(),
): Promise<NewLogin | undefined> {
  const tenant = await findTenant(tools.db, memberId);
  if (tenant === undefined) return undefined;
  return giveNewPassword(tools, buildOperator(tenant.enterpriseId, call), memberId, call);
}

/** Gives an employee of the actor's enterprise a new random password. Throws like resetPassword. */
export async function giveNewPassword(
  tools: PasswordTools,
  actor: Actor,
  memberId: MemberId,
  call: OperatorCall,
): Promise<NewLogin> {
  const password = newPassword();
  const { account } = await resetPassword(tools, actor, memberId, password, alsoRecord(actor, call));
  return { account, password };
}

/**
 * Creates an administrator of an enterprise, named `admin`, or `admin2`, `admin3` and so on if that is taken; undefined
 * if the enterprise does not exist (rules 9).
 */
export async function createAdministrator(
  tools: PasswordTools,
  enterpriseId: EnterpriseId,
  call: OperatorCall = newCall(),
): Promise<NewLogin | undefined> {
  const created = await createAdministratorUnless(tools, enterpriseId, call, async () => undefined);
  return created && { account: created.account, password: created.password };
}

/** Creates an administrator unless `findObstacle`, which runs while the enterprise is locked, returns an obstacle. */
export async function createAdministratorUnless<Obstacle>(
  tools: PasswordTools,
  enterpriseId: EnterpriseId,
  call: OperatorCall,
  findObstacle: (trx: Trx, actor: Actor, code: string) => Promise<Obstacle | undefined>,
): Promise<MemberLogin | Obstacle | undefined> {
  const password = newPassword();
  const { db, passwords, signal } = tools;
  const [hash] = await passwords.hashAll([password], { party: 'operators', signal });
  const actor = buildOperator(enterpriseId, call);
  return inTransaction(db, async (trx) => {
    const enterprise = await lockEnterprise(trx, actor);
    if (enterprise === undefined) return undefined;
    const obstacle = await findObstacle(trx, actor, enterprise.code);
    if (obstacle !== undefined) return obstacle;
    const { memberId, userName } = await insertAdministrator(trx, actor, hash!);
    const account = accountOf({ user_name: userName, code: enterprise.code });
    await call.record(trx, { memberId, account, enterpriseId });
    return { memberId, account, password };
  });
}

/** Inserts an administrator under the first free name, and an audit entry. */
async function insertAdministrator(
  trx: Trx,
  actor: Actor,
  hash: string,
): Promise<{ memberId: MemberId; userName: string }> {
  const taken = new Set((await selectEmployees(trx, actor).select('user_name').execute()).map((row) => row.user_name));
  let userName = 'admin';
  for (let number = 2; taken.has(userName); number++) userName = `admin${number}`;
  const name = 'Administrator';
  const [added] = await insertEmployees(trx, actor, [
    { user_name: userName, is_administrator: true, is_provisioned: true, name, password_hash: hash },
  ]);
  const change = { before: null, after: { userName, name } };
  await recordChanges(trx, actor, [{ action: 'employee_added', targetId: added!.id, ...change }]);
  return { memberId: added!.id, userName };
}
