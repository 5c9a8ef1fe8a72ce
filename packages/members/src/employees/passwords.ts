import { randomUUID } from 'node:crypto';
import { newPassword, type PasswordTools } from '@lockstep/access';
import { type EnterpriseId, type MemberId, OPERATOR_ID } from '@lockstep/contract';
import { type Database, inTransaction, isId, type Trx } from '@lockstep/platform';
import { recordChanges } from '../audit.ts';
import { type Actor, findTenant, insertEmployees, lockEnterprise, selectEmployees } from '../tenant.ts';
import { accountOf, type ChangedMember, resetPassword } from './change.ts';

/** An account and its new password, which is shown only once (rules 9). */
export interface NewLogin {
  account: string;
  password: string;
}

/** The same, with the employee's id. */
interface MemberLogin extends NewLogin {
  memberId: MemberId;
}

/** An operator's call that changes an enterprise. */
interface OperatorCall {
  /** Identifies the call in the enterprise's audit log, like the x-request-id of an API call. */
  requestId: string;
  /** Runs in the transaction of the change, for example to add an entry to the operators' audit log. */
  record: (trx: Trx, changed: ChangedMember) => Promise<void>;
}

/** A call without another audit entry. */
const newCall = (): OperatorCall => ({ requestId: `operator-${randomUUID()}`, record: async () => {} });

/** Returns an operator as an actor in an enterprise. */
const buildOperator = (enterpriseId: EnterpriseId, { requestId }: OperatorCall): Actor => ({
  enterpriseId,
  channels: null,
  memberId: OPERATOR_ID,
  requestId,
});

/** Gives an employee a new random password; undefined if the employee does not exist (rules 9). */
export async function setPassword(
  tools: PasswordTools,
  memberId: MemberId,
  call: OperatorCall = newCall(),
): Promise<NewLogin | undefined> {
  const tenant = await findTenant(tools.db, memberId);
  if (tenant === undefined) return undefined;
  const password = newPassword();
  const actor = buildOperator(tenant.enterpriseId, call);
  return { ...(await resetPassword(tools, actor, memberId, password, call.record)), password };
}

/** Gives an administrator of an enterprise a new random password; undefined if the administrator does not exist. */
export async function setAdministratorPassword(
  tools: PasswordTools,
  { enterpriseId, memberId }: { enterpriseId: EnterpriseId; memberId: MemberId },
  call: OperatorCall,
): Promise<MemberLogin | undefined> {
  if (!isId(enterpriseId) || !isId(memberId)) return undefined;
  const administrators = selectAdministrators(tools.db, buildOperator(enterpriseId, call));
  if ((await administrators.where('member.id', '=', memberId).executeTakeFirst()) === undefined) return undefined;
  // An employee stops being an administrator only by being deleted, which `setPassword` checks again.
  const login = await setPassword(tools, memberId, call);
  return login && { memberId, ...login };
}

/** Starts a query on the administrators of the actor's enterprise. */
const selectAdministrators = (db: Database | Trx, actor: Actor) =>
  selectEmployees(db, actor).select('user_name').where('is_administrator', '=', true);

/**
 * Creates an administrator of an enterprise, named `admin`, or `admin2`, `admin3` and so on if that is taken; undefined
 * if the enterprise does not exist (rules 9).
 */
export async function createAdministrator(
  tools: PasswordTools,
  enterpriseId: EnterpriseId,
  call: OperatorCall = newCall(),
): Promise<MemberLogin | undefined> {
  return (await create(tools, enterpriseId, call)) as MemberLogin | undefined;
}

/**
 * Creates the first administrator of an enterprise, like `createAdministrator`. If it already has one, this is a no-op
 * that returns the existing account.
 */
export function createFirstAdministrator(tools: PasswordTools, enterpriseId: EnterpriseId, call: OperatorCall) {
  return create(tools, enterpriseId, call, { onlyFirst: true });
}

async function create(
  { db, passwords, signal }: PasswordTools,
  enterpriseId: EnterpriseId,
  call: OperatorCall,
  { onlyFirst = false } = {},
): Promise<MemberLogin | { existingAccount: string } | undefined> {
  const password = newPassword();
  const [hash] = await passwords.hashAll([password], { party: 'operators', signal });
  const actor = buildOperator(enterpriseId, call);
  return inTransaction(db, async (trx) => {
    const enterprise = await lockEnterprise(trx, actor);
    if (enterprise === undefined) return undefined;
    const { code } = enterprise;
    const [existing] = onlyFirst ? await selectAdministrators(trx, actor).orderBy('member.id').limit(1).execute() : [];
    if (existing !== undefined) return { existingAccount: accountOf({ ...existing, code }) };
    const taken = (await selectEmployees(trx, actor).select('user_name').execute()).map((row) => row.user_name);
    let userName = 'admin';
    for (let number = 2; taken.includes(userName); number++) userName = `admin${number}`;
    const name = 'Administrator';
    const [added] = await insertEmployees(trx, actor, [
      { user_name: userName, is_administrator: true, is_provisioned: true, name, password_hash: hash! },
    ]);
    const memberId = added!.id;
    const change = { before: null, after: { userName, name } };
    await recordChanges(trx, actor, [{ action: 'employee_added', targetId: memberId, ...change }]);
    const account = accountOf({ user_name: userName, code });
    await call.record(trx, { memberId, account, enterpriseId });
    return { memberId, account, password };
  });
}
