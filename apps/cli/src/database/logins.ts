import { PasswordHasher } from '@lockstep/access';
import { BindCustomer, buildMessage, type EnterpriseId, type MemberId } from '@lockstep/contract';
import { OperatorName, type OperatorRole } from '@lockstep/contract/console';
import { setSecurityMobile } from '@lockstep/customers';
import { createAdministrator, setPassword } from '@lockstep/members';
import {
  createOperator,
  disableOperator,
  enableOperator,
  listOperators,
  newCommand,
  recordedCall,
  recordMobileSet,
  resetOperatorPassword,
} from '@lockstep/operators';
import type { Database } from '@lockstep/platform';
import { CommandFault } from '../output/status.ts';
import { notFound } from './with-database.ts';

// Operators

export async function create(db: Database, given: string, { role }: { role: OperatorRole }) {
  const { data: name } = OperatorName.safeParse(given);
  if (name === undefined) throw new CommandFault('usage', buildMessage('field_invalid', 'name', 'operator_name'));
  return await createOperator(hashing(db), { name, role }, newCommand());
}

export const list = (db: Database) => listOperators(db);

export const resetPassword = (db: Database, name: string) => resetOperatorPassword(hashing(db), name, newCommand());

export async function disable(db: Database, name: string) {
  await disableOperator(db, name, newCommand());
  return `Operator ${name} is disabled`;
}

export async function enable(db: Database, name: string) {
  await enableOperator(db, name, newCommand());
  return `Operator ${name} is enabled`;
}

// Employees and enterprises

export async function setMemberPassword(db: Database, globalId: string) {
  const record = recordedCall(newCommand(), 'employee.password_reset');
  const login = await setPassword(hashing(db), globalId as MemberId, record);
  if (login === undefined) throw notFound('employee', globalId);
  return login;
}

export async function createEnterpriseAdmin(db: Database, globalId: string) {
  const record = recordedCall(newCommand(), 'administrator.created');
  const login = await createAdministrator(hashing(db), globalId as EnterpriseId, record);
  if (login === undefined) throw notFound('enterprise', globalId);
  return { account: login.account, password: login.password };
}

export async function setMobile(db: Database, globalId: string, given: string) {
  const { data: mobile } = BindCustomer.shape.passwordMobile.safeParse(given);
  if (mobile === undefined) throw new CommandFault('usage', buildMessage('mobile_invalid', 'mobile'));
  const isFound = await setSecurityMobile(db, { id: globalId as EnterpriseId, mobile }, (trx, before) =>
    recordMobileSet(trx, newCommand(), { enterpriseId: globalId, before, after: mobile }),
  );
  if (!isFound) throw notFound('enterprise', globalId);
  return `Enterprise ${globalId} has a new security mobile number`;
}

const hashing = (db: Database) => ({ db, passwords: new PasswordHasher() });
