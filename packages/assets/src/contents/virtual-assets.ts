import {
  type CursorPage,
  type EnterpriseId,
  type LicenseType,
  type OptionalPageQuery,
  Refusal,
  type Viewer,
  type VirtualAsset,
} from '@lockstep/contract';
import { selectCustomers } from '@lockstep/customers';
import { type Database, inSnapshot, isId, parseBigint, type Tables } from '@lockstep/platform';
import { type Selectable, sql } from 'kysely';
import { listOldestFirst } from '../oldest-first.ts';
import { selectAssets } from '../tenant.ts';
import { checkAnswer } from './contents.ts';
import { listExtends } from './show-assets.ts';

/** The license type of an enterprise's cloud account licenses. `cloud_account` is another one. */
const CLOUD_CUSTOMER: LicenseType = 'cloud_customer';
/** Approximate length of an asset as JSON, without its extended attributes. */
const ASSET_BYTES = 600;

/** The enterprise and the page; with `extendCode`, the extended attribute that its assets must have. */
interface Wanted extends OptionalPageQuery {
  enterpriseId: EnterpriseId;
  extendCode: string | undefined;
}

/**
 * O8: lists the cloud account licenses of an enterprise: active assets of its customers, oldest first (rules 7). Omits
 * assets of channels that the caller is not bound to.
 *
 * Throws a Refusal: enterprise_not_found, answer_too_large; or a WrongCursor.
 */
export function listVirtualAssets(
  db: Database,
  viewer: Viewer,
  { enterpriseId, extendCode, ...page }: Wanted,
): Promise<VirtualAsset[] | CursorPage<VirtualAsset>> {
  return inSnapshot(db, async (trx) => {
    const enterprise = await sql`select from enterprise where id = ${isId(enterpriseId) ? enterpriseId : null}`.execute(
      trx,
    );
    if (enterprise.rows.length === 0) throw new Refusal('enterprise_not_found', enterpriseId);
    const customers = selectCustomers(trx, viewer).where('customer.enterprise_id', '=', enterpriseId);
    const rows = selectAssets(trx, viewer)
      .where('asset.customer_id', 'in', customers.select('customer.id'))
      .where('asset.license_type', '=', CLOUD_CUSTOMER)
      .$if(extendCode !== undefined, (all) => all.where(sql<boolean>`asset.extends ? ${extendCode}`))
      .leftJoin('asset_assignment as assignment', 'assignment.asset_id', 'asset.id')
      .selectAll('asset')
      .select(['assignment.member_id', 'assignment.created_time as assigned_time']);
    const length = sql<number>`coalesce(sum(${ASSET_BYTES}::int + coalesce(extends_bytes, 0)), 0)::float8`;
    const scope = ['O8', enterpriseId, viewer.channels, extendCode];
    const check = async (listed: typeof rows) => {
      const sizes = listed.clearSelect().select('asset.extends_bytes').as('listed');
      checkAnswer((await trx.selectFrom(sizes).select(length.as('bytes')).executeTakeFirstOrThrow()).bytes);
    };
    return listOldestFirst({ rows, scope, show: showVirtualAsset, check }, page);
  });
}

type Assignment = Selectable<Tables['asset_assignment']>;

function showVirtualAsset(
  row: Selectable<Tables['asset']> & { member_id: Assignment['member_id'] | null; assigned_time: Date | null },
): VirtualAsset {
  return {
    id: row.id,
    licenseType: CLOUD_CUSTOMER,
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
    assetExtends: listExtends(row.extends),
    borrowedUsbKey: row.borrowed_usb_key,
  };
}
