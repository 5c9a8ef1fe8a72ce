import { type Channels, type EnterpriseId, type LicenseType, Refusal, type VirtualAsset } from '@lockstep/contract';
import { selectCustomers } from '@lockstep/customers';
import { type Database, isId, parseBigint } from '@lockstep/platform';
import { sql } from 'kysely';
import { selectAssets } from './tenant.ts';

/** The license type of cloud account licenses. */
const CLOUD_ACCOUNT: LicenseType = 'cloud_customer';

/**
 * O8: returns the cloud account licenses of an enterprise: active assets of its customers, oldest first, with `extendCode`
 * those that carry it (rules 7). Assets of other channels than the caller's are left out.
 *
 * Throws a Refusal: enterprise_not_found.
 */
export async function listVirtualAssets(
  db: Database,
  channels: Channels,
  { enterpriseId, extendCode }: { enterpriseId: EnterpriseId; extendCode: string | undefined },
): Promise<VirtualAsset[]> {
  if (!isId(enterpriseId) || !(await enterpriseExists(db, enterpriseId))) {
    throw new Refusal('enterprise_not_found', enterpriseId);
  }
  const customers = selectCustomers(db, channels).where('customer.enterprise_id', '=', enterpriseId);
  const rows = await selectAssets(db, channels)
    .leftJoin('asset_assignment as assignment', 'assignment.asset_id', 'asset.id')
    .selectAll('asset')
    .select(['assignment.member_id', 'assignment.created_time as assigned_time'])
    .where('asset.customer_id', 'in', customers.select('customer.id'))
    .where('asset.license_type', '=', CLOUD_ACCOUNT)
    .$if(extendCode !== undefined, (all) => all.where(sql<boolean>`asset.extends ? ${extendCode}`))
    .orderBy('asset.created_time')
    .orderBy('asset.id')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    licenseType: CLOUD_ACCOUNT,
    assetNum: row.asset_num,
    grantable: !row.locked && !row.freezing,
    customerId: row.customer_id,
    keyShellNumber: row.asset_num.replace(/\D/g, ''),
    keyChipType: 2,
    locked: row.locked,
    freezing: row.freezing,
    createTime: row.created_time.getTime(),
    updateTime: row.updated_time.getTime(),
    limitStartTime: parseBigint(row.limit_start_date),
    limitEndTime: parseBigint(row.limit_end_date),
    assignStatus: {
      id: row.id,
      assignStatus: row.member_id === null ? 'unassigned' : 'assigned',
      assignMemberId: row.member_id,
      createTime: row.assigned_time === null ? null : String(row.assigned_time.getTime()),
      updateTime: null,
    },
    assetLimits: null,
    assetExtends: Object.entries(row.extends).map(([extendCode, extendValue]) => ({ extendCode, extendValue })),
    borrowedUsbKey: row.borrowed_usb_key,
  }));
}

async function enterpriseExists(db: Database, enterpriseId: EnterpriseId): Promise<boolean> {
  const found = await db.selectFrom('enterprise').select('id').where('id', '=', enterpriseId).executeTakeFirst();
  return found !== undefined;
}
