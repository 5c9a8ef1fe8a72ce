import { NOW } from '@lockstep/assets';
import type { Channels } from '@lockstep/contract';
import { type Database, isId, type Tables, type Trx } from '@lockstep/platform';
import type { Insertable, Selectable, UpdateObject } from 'kysely';

/** Who acts in the member center, and in which enterprise: all that a call sees and changes belongs to that one. */
export interface Actor {
  enterpriseId: string;
  /** That the application is bound to. */
  channels: Channels;
  /** An administrator, or OPERATOR_ID. */
  memberId: string;
  requestId: string;
}

/**
 * What the member center reads, locks or changes of an enterprise it finds through this file, and its assets through
 * asset-scope.ts, where the enterprise is a part of every query; other queries go on from ids that were found so. A lint rule (scope.grit) keeps other files from
 * selecting from these tables by themselves.
 */
type Tenant = Pick<Actor, 'enterpriseId'>;

/** The employees of an enterprise who are not deleted. */
export function employeesOf(db: Database | Trx, { enterpriseId }: Tenant) {
  return db
    .selectFrom('member')
    .innerJoin('enterprise', 'enterprise.id', 'member.enterprise_id')
    .where('member.enterprise_id', '=', enterpriseId)
    .where('member.deleted_time', 'is', null);
}

/** What was changed in an enterprise. */
export function auditOf(db: Database | Trx, { enterpriseId }: Tenant) {
  return db.selectFrom('member_audit').where('member_audit.enterprise_id', '=', enterpriseId);
}

/** Whether the enterprise has an authorized customer at all, of whatever channel. */
export async function hasCustomer(db: Database | Trx, { enterpriseId }: Tenant): Promise<boolean> {
  const found = await db
    .selectFrom('customer')
    .select('id')
    .where('enterprise_id', '=', enterpriseId)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** The code that the enterprise's accounts end with. */
export async function readCode(db: Database | Trx, { enterpriseId }: Tenant): Promise<string> {
  const { code } = await db
    .selectFrom('enterprise')
    .select('code')
    .where('id', '=', enterpriseId)
    .executeTakeFirstOrThrow();
  return code;
}

/**
 * Locks the enterprise, so that what adds and removes its employees takes turns; undefined where there is none. The lock
 * does not keep rows from being inserted that refer to the enterprise, audit records above all.
 */
export async function lockEnterprise(trx: Trx, { enterpriseId }: Tenant): Promise<{ code: string } | undefined> {
  if (!isId(enterpriseId)) return undefined;
  return trx.selectFrom('enterprise').select('code').where('id', '=', enterpriseId).forNoKeyUpdate().executeTakeFirst();
}

/** An employee of the enterprise, locked against other changes and against a login; undefined where there is none. */
export async function lockEmployee(trx: Trx, tenant: Tenant, memberId: string): Promise<EmployeeRow | undefined> {
  if (!isId(memberId)) return undefined;
  return selectEmployee(trx, tenant, memberId).forNoKeyUpdate('member').executeTakeFirst();
}

/** The same, to be deleted: locked against `keepEmployee` as well. */
export async function lockLeaving(trx: Trx, tenant: Tenant, memberId: string): Promise<EmployeeRow | undefined> {
  if (!isId(memberId)) return undefined;
  return selectEmployee(trx, tenant, memberId).forUpdate('member').executeTakeFirst();
}

/** Keeps an employee of the enterprise from being deleted, and from nothing else; false where there is none. */
export async function keepEmployee(trx: Trx, tenant: Tenant, memberId: string): Promise<boolean> {
  if (!isId(memberId)) return false;
  return (await selectEmployee(trx, tenant, memberId).forKeyShare('member').executeTakeFirst()) !== undefined;
}

function selectEmployee(trx: Trx, tenant: Tenant, memberId: string) {
  return employeesOf(trx, tenant).selectAll('member').select('enterprise.code').where('member.id', '=', memberId);
}
export type EmployeeRow = Selectable<Tables['member']> & { code: string };

/** Inserts employees of the enterprise with one statement; answers them as they are stored. */
export function insertEmployees(
  trx: Trx,
  { enterpriseId }: Tenant,
  rows: readonly Omit<Insertable<Tables['member']>, 'enterprise_id'>[],
): Promise<Selectable<Tables['member']>[]> {
  return trx
    .insertInto('member')
    .values(rows.map((row) => ({ ...row, enterprise_id: enterpriseId })))
    .returningAll()
    .execute();
}

/** The enterprise of an employee, for the operator of the service, who works in any of them. */
export async function findTenantOf(db: Database, memberId: string): Promise<Tenant | undefined> {
  if (!isId(memberId)) return undefined;
  const found = await db
    .selectFrom('member')
    .select('enterprise_id')
    .where('id', '=', memberId)
    .where('deleted_time', 'is', null)
    .executeTakeFirst();
  return found && { enterpriseId: found.enterprise_id };
}

/** Changes an employee of the enterprise. */
export async function updateEmployee(
  trx: Trx,
  { enterpriseId }: Tenant,
  memberId: string,
  changes: UpdateObject<Tables, 'member'>,
): Promise<void> {
  await trx
    .updateTable('member')
    .set({ ...changes, updated_time: NOW })
    .where('id', '=', memberId)
    .where('enterprise_id', '=', enterpriseId)
    .execute();
}
