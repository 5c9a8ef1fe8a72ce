import { listApplications, PasswordHasher } from '@lockstep/access';
import {
  ApplicationName,
  BindCustomer,
  buildMessage,
  ChannelCode,
  type CustomerId,
  type EnterpriseId,
  type MemberId,
  Scope,
} from '@lockstep/contract';
import { Notices, OperatorName, type OperatorRole } from '@lockstep/contract/console';
import { eraseContact, setSecurityMobile } from '@lockstep/customers';
import { createAdministrator, setPassword } from '@lockstep/members';
import {
  changeApplicationStatus,
  changeNotices,
  createOperator,
  disableOperator,
  enableOperator,
  linkOperator,
  listOperators,
  newCommand,
  recordChange,
  recordedCall,
  recordMobileSet,
  registerApplication,
  resetOperatorPassword,
  rotateApplicationSecret,
} from '@lockstep/operators';
import type { Database, Trx } from '@lockstep/platform';
import { CommandFault } from '../output/status.ts';
import { notFound } from './with-database.ts';

interface NewApplication {
  name: string;
  scope: string[];
  channel?: string[];
  approve?: true;
}

export async function createApp(db: Database, { name, scope, channel, approve }: NewApplication) {
  const application = {
    name: readText(ApplicationName, '--name', name),
    scopes: [...new Set(scope.map((word) => Scope.parse(word)))],
    channels: channel === undefined ? null : readChannels(channel),
    approved: approve === true,
  };
  return await registerApplication(db, application, newCommand());
}

export const listApps = (db: Database) => listApplications(db);

export async function rotateSecret(db: Database, appKey: string, { overlapHours }: { overlapHours: number }) {
  const { appSecret } = await rotateApplicationSecret(db, appKey, overlapHours, newCommand());
  return { appKey, appSecret };
}

interface ChangedNotices {
  eventsOfLicenses?: 'yes' | 'no';
  leadDays?: number[];
}

export async function changeAppNotices(db: Database, appKey: string, { eventsOfLicenses, leadDays }: ChangedNotices) {
  const hearsLicenses = eventsOfLicenses && eventsOfLicenses === 'yes';
  const notices = Notices.parse({ hearsLicenses, leadDays });
  return await changeNotices(db, appKey, notices, newCommand());
}

export const approve = (db: Database, appKey: string) => changeStatus(db, appKey, 'approved');

export const suspend = (db: Database, appKey: string) => changeStatus(db, appKey, 'suspended');

async function changeStatus(db: Database, appKey: string, status: 'approved' | 'suspended') {
  await changeApplicationStatus(db, appKey, status, newCommand());
  return `Application ${appKey} is ${status}`;
}

/** Parses the values of --channel, without duplicates. */
export function readChannels(given: readonly string[]): string[] {
  return [...new Set(given.map((channel) => readText(ChannelCode, '--channel', channel)))];
}

/** Parses and trims a name or a channel (rules 4). */
export function readText(schema: typeof ApplicationName, option: string, value: string): string {
  const { data } = schema.safeParse(value);
  if (data !== undefined) return data;
  throw new CommandFault('usage', `${option} is invalid. It must be 1 to 255 characters, without control characters.`);
}

interface NewOperator {
  role: OperatorRole;
  channel?: string[];
}

export async function createLogIn(db: Database, given: string, { role, channel }: NewOperator) {
  const { data: name } = OperatorName.safeParse(given);
  if (name === undefined) throw new CommandFault('usage', buildMessage('field_invalid', 'name', 'operator_name'));
  return await createOperator(
    hashing(db),
    { name, role, channels: channel === undefined ? null : readChannels(channel) },
    newCommand(),
  );
}

export const list = (db: Database) => listOperators(db);

export const resetPassword = (db: Database, name: string) => resetOperatorPassword(hashing(db), name, newCommand());

/** Returns a command that changes an operator, and then says what is true of it. */
const changing = (change: typeof disableOperator, what: string) => async (db: Database, name: string) => {
  await change(db, name, newCommand());
  return `Operator ${name} ${what}`;
};
export const disable = changing(disableOperator, 'is disabled');
export const enable = changing(enableOperator, 'is enabled');
export const link = changing(linkOperator, 'logs in by the provider');

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

export async function eraseCustomerContact(db: Database, customerId: string) {
  const record = (trx: Trx) =>
    recordChange(trx, newCommand(), { action: 'customer.contact_erased', target: customerId });
  if (await eraseContact(db, customerId as CustomerId, record))
    return `The contact of customer ${customerId} is erased`;
  throw notFound('contact of customer', customerId);
}

const hashing = (db: Database) => ({ db, passwords: new PasswordHasher() });
