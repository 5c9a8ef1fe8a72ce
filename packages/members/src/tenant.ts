import { assetsOf, lockFound, NOW, selectAssets } from '@lockstep/assets';
import { type AssetId, type Channels, type EnterpriseId, type MemberId, Refusal } from '@lockstep/contract';
import { type Database, isId, type Tables, type Trx } from '@lockstep/platform';
import { type Insertable, type RawBuilder, type Selectable, sql, type UpdateObject } from 'kysely';
import type { AssetFacts } from './rules/holdings.ts';

/** Who acts in the member center, and in which enterprise. A call sees and changes nothing outside it. */
export interface Actor {
  enterpriseId: EnterpriseId;
  /** The channels the application is bound to. */
  channels: Channels;
  /** An administrator's id, or OPERATOR_ID. */
  memberId: MemberId;
  requestId: string;
}

/**
 * The tenant boundary of the member center. Only this file reads, locks and changes rows of an enterprise, and every
 * query here includes the enterprise. Other queries start from ids found this way. A lint rule (tenant.grit) keeps
 * other files from querying these tables.
 */
type Tenant = Pick<Actor, 'enterpriseId'>;

/** An employee, and the enterprise code that ends their account name. */
export type EmployeeRow = Selectable<Tables['member']> & { code: string };

/** Starts a query on the enterprise's employees who are not deleted. */
export function selectEmployees(db: Database | Trx, { enterpriseId }: Tenant) {
  return db
    .selectFrom('member')
    .innerJoin('enterprise', 'enterprise.id', 'member.enterprise_id')
    .where('member.enterprise_id', '=', enterpriseId)
    .where('member.deleted_time', 'is', null);
}

/** For a FROM clause: the employees of the enterprise with their accounts, deleted ones too. */
export function allEmployeesOf({ enterpriseId }: Tenant): RawBuilder<unknown> {
  return sql`(
    select member.id, member.name, user_name || '@' || code as account
    from member join enterprise on enterprise.id = enterprise_id where enterprise_id = ${enterpriseId}
  )`;
}

/** Starts a query on the audit log of the enterprise. */
export function selectAudit(db: Database | Trx, { enterpriseId }: Tenant) {
  return db.selectFrom('member_audit').where('member_audit.enterprise_id', '=', enterpriseId);
}

/** Throws a Refusal, customer_not_bound, unless the enterprise has a customer in any channel. */
export async function requireCustomer(db: Database | Trx, { enterpriseId }: Tenant): Promise<void> {
  const customers = db.selectFrom('customer').select('id').where('enterprise_id', '=', enterpriseId);
  if ((await customers.limit(1).executeTakeFirst()) === undefined) throw new Refusal('customer_not_bound');
}

/** Returns the enterprise code that ends account names. */
export async function readCode(db: Database | Trx, { enterpriseId }: Tenant): Promise<string> {
  const { rows } = await sql<{ code: string }>`select code from enterprise where id = ${enterpriseId}`.execute(db);
  return rows[0]!.code;
}

/**
 * Locks the enterprise, so that only one call at a time adds or removes its employees; undefined if it does not exist.
 * Rows that refer to the enterprise, such as audit entries, can still be inserted.
 */
export async function lockEnterprise(trx: Trx, { enterpriseId }: Tenant): Promise<{ code: string } | undefined> {
  if (!isId(enterpriseId)) return undefined;
  return trx.selectFrom('enterprise').select('code').where('id', '=', enterpriseId).forNoKeyUpdate().executeTakeFirst();
}

/**
 * Locks an employee of the enterprise against changes and logins; undefined if the employee does not exist. With
 * `toDelete`, it also waits for `keepEmployees`.
 */
export async function lockEmployee(
  trx: Trx,
  tenant: Tenant,
  memberId: MemberId,
  { toDelete = false } = {},
): Promise<EmployeeRow | undefined> {
  if (!isId(memberId)) return undefined;
  const found = selectEmployees(trx, tenant).selectAll('member').select('enterprise.code');
  const named = found.where('member.id', '=', memberId);
  return (toDelete ? named.forUpdate('member') : named.forNoKeyUpdate('member')).executeTakeFirst();
}

/** Prevents only the deletion of employees of the enterprise. Returns the ids of those who exist. */
export async function keepEmployees(trx: Trx, tenant: Tenant, memberIds: readonly MemberId[]): Promise<Set<MemberId>> {
  const rows = await selectEmployees(trx, tenant)
    .select('member.id')
    .where(sql<boolean>`member.id = any (${memberIds.filter(isId)}::bigint[])`)
    .orderBy('member.id')
    .forKeyShare('member')
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/** Inserts employees of the enterprise in one statement. Returns the stored rows. */
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

/** Finds the enterprise of an employee, for an operator, who may act in any enterprise. */
export async function findTenant(db: Database, memberId: MemberId): Promise<Tenant | undefined> {
  if (!isId(memberId)) return undefined;
  const { rows } = await sql<Tenant>`
    select enterprise_id as "enterpriseId" from member
    where id = ${memberId} and deleted_time is null`.execute(db);
  return rows[0];
}

/** Changes an employee of the enterprise. */
export async function updateEmployee(
  trx: Trx,
  { enterpriseId }: Tenant,
  memberId: MemberId,
  changes: UpdateObject<Tables, 'member'>,
): Promise<void> {
  await trx
    .updateTable('member')
    .set({ ...changes, updated_time: NOW })
    .where('id', '=', memberId)
    .where('enterprise_id', '=', enterpriseId)
    .execute();
}

/**
 * The scope of asset queries: the assets of an enterprise's customers. An application that is bound to channels sees
 * only assets of its channels; others do not exist for it (rules 2). Every query of assets includes both.
 */
export type AssetTenant = Pick<Actor, 'enterpriseId' | 'channels'>;

/** Extends the scope to all channels of the enterprise. For rules only, never for answers. */
export function acrossChannels({ enterpriseId }: AssetTenant): AssetTenant {
  return { enterpriseId, channels: null };
}

/** Starts a query on the active assets of the enterprise's customers. */
export function selectEnterpriseAssets(db: Database | Trx, tenant: AssetTenant) {
  return selectAssets(db, tenant)
    .innerJoin('customer', 'customer.id', 'asset.customer_id')
    .where('customer.enterprise_id', '=', tenant.enterpriseId);
}

/**
 * For a FROM clause: the active and revoked assets of the channels, of any owner. Only for assets that employees of the
 * enterprise have or had.
 */
export const everHeldAssetsOf = ({ channels }: AssetTenant): RawBuilder<unknown> => assetsOf({ channels });

/**
 * Locks active assets of the enterprise, named by number or id, in the order of their numbers, as drains do. Omits
 * assets that are not active or belong to another enterprise.
 */
export async function lockEnterpriseAssets(
  trx: Trx,
  tenant: AssetTenant,
  wanted: { assetNums?: readonly string[]; assetIds?: readonly AssetId[] },
): Promise<AssetFacts[]> {
  const { assetNums = [], assetIds = [] } = wanted;
  return await lockFound(
    selectEnterpriseAssets(trx, tenant)
      .select(['asset.id', 'asset.asset_num as assetNum', 'asset.borrowed_usb_key as isBorrowedLock'])
      .select(['asset.locked as isLocked', 'asset.freezing as isFrozen'])
      .where(
        sql<boolean>`(asset_num = any (${assetNums}::text[]) or asset.id = any (${assetIds.filter(isId)}::bigint[]))`,
      ),
  );
}

/**
 * Returns which numbers are active assets of other enterprises in the scope's channels. This is the only data of
 * another enterprise that is ever read.
 */
export async function findNumbersElsewhere(
  trx: Trx,
  tenant: AssetTenant,
  assetNums: readonly string[],
): Promise<Set<string>> {
  if (assetNums.length === 0) return new Set();
  const rows = await selectAssets(trx, tenant)
    .innerJoin('customer', 'customer.id', 'asset.customer_id')
    .select('asset.asset_num')
    .where(sql<boolean>`asset_num = any (${assetNums}::text[])`)
    .where('customer.enterprise_id', '<>', tenant.enterpriseId)
    .execute();
  return new Set(rows.map((row) => row.asset_num));
}

/** Returns the ids of assets. */
export const idsOf = (assets: readonly { id: AssetId }[]): AssetId[] => assets.map(({ id }) => id);
