import { NOW } from '@lockstep/assets';
import { type Database, isId, type Tables, type Trx } from '@lockstep/platform';
import { type Insertable, type Selectable, sql, type UpdateObject } from 'kysely';

/** Who acts in the member center, and in which enterprise: all that a call sees and changes belongs to that one. */
export interface Actor {
  enterpriseId: string;
  /** An administrator, or OPERATOR_ID. */
  memberId: string;
  requestId: string;
}

/**
 * What the member center reads, locks or changes of an enterprise it finds through this file, where the enterprise is a
 * part of every query; other queries go on from ids that were found so. A lint rule (scope.grit) keeps other files from
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

/** The active assets of an enterprise's customers. */
export function assetsOf(db: Database | Trx, { enterpriseId }: Tenant) {
  return db
    .selectFrom('asset')
    .innerJoin('customer', 'customer.id', 'asset.customer_id')
    .where('customer.enterprise_id', '=', enterpriseId)
    .where('asset.revoked_time', 'is', null);
}

/** What was changed in an enterprise. */
export function auditOf(db: Database | Trx, { enterpriseId }: Tenant) {
  return db.selectFrom('member_audit').where('member_audit.enterprise_id', '=', enterpriseId);
}

/** Whether the enterprise has an authorized customer at all. */
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

export interface LockedAsset {
  id: string;
  assetNum: string;
  isBorrowedLock: boolean;
  isUsable: boolean;
}

/**
 * Locks active assets of the enterprise by their numbers and ids, in the order of their numbers, as the drains of orders
 * do it. What is neither found as active nor as the enterprise's is left out.
 */
export async function lockAssets(
  trx: Trx,
  tenant: Tenant,
  wanted: { assetNums?: readonly string[]; assetIds?: readonly string[] },
): Promise<LockedAsset[]> {
  const { assetNums = [], assetIds = [] } = wanted;
  const found = await selectForUpdate(trx, tenant, [...assetNums], assetIds.filter(isId));
  // One that was revoked while this waited for it may have been bought again in the same transaction.
  const foundNums = new Set(found.map(({ assetNum }) => assetNum));
  const missing = assetNums.filter((assetNum) => !foundNums.has(assetNum));
  return missing.length === 0 ? found : [...found, ...(await selectForUpdate(trx, tenant, missing, []))];
}

async function selectForUpdate(
  trx: Trx,
  tenant: Tenant,
  assetNums: string[],
  assetIds: string[],
): Promise<LockedAsset[]> {
  const rows = await assetsOf(trx, tenant)
    .select(['asset.id', 'asset.asset_num', 'asset.borrowed_usb_key', 'asset.locked', 'asset.freezing'])
    .where(sql<boolean>`(asset_num = any (${assetNums}::text[]) or asset.id = any (${assetIds}::bigint[]))`)
    .orderBy('asset.asset_num')
    .forUpdate('asset')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    assetNum: row.asset_num,
    isBorrowedLock: row.borrowed_usb_key,
    isUsable: !row.locked && !row.freezing,
  }));
}

/** Which of some numbers are active assets of other enterprises. Nothing else of those is ever looked at. */
export async function numbersElsewhere(
  trx: Trx,
  { enterpriseId }: Tenant,
  assetNums: readonly string[],
): Promise<Set<string>> {
  if (assetNums.length === 0) return new Set();
  const rows = await trx
    .selectFrom('asset')
    .innerJoin('customer', 'customer.id', 'asset.customer_id')
    .select('asset.asset_num')
    .where(sql<boolean>`asset_num = any (${assetNums}::text[])`)
    .where('asset.revoked_time', 'is', null)
    .where('customer.enterprise_id', '<>', enterpriseId)
    .execute();
  return new Set(rows.map((row) => row.asset_num));
}
