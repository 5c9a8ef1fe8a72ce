import type { AssetId, CustomerId, LicenseOrderId, LicenseType, MemberId } from '@lockstep/contract';
import { type Database, inSnapshot, type Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { readActiveAsset, selectGrantOrders } from '../contents/show-asset.ts';
import type { ListedAsset } from './asset-list.ts';

/** The most earlier assets, grants and loans that are shown. */
const MAX_EARLIER = 50;
const MAX_GRANTS = 50;
const MAX_LENT = 200;

/** The active asset of a number, with ids. */
interface Active extends ListedAsset {
  freezing: boolean;
  updatedTime: number;
  assetExtendList: { extendCode: string; extendValue: string }[];
  createdByOrderId: LicenseOrderId;
  /** The orders with active grants on it, newest first. */
  licenseOrderIds: LicenseOrderId[];
  hasMoreOrders: boolean;
  holder: { memberId: MemberId; since: number } | null;
  lentInto: { assetNum: string; since: number } | null;
  /** The assets lent into it, and their employees. */
  lentHere: { assetNum: string; memberId: MemberId | null; since: number }[];
  hasMoreLentHere: boolean;
}

/** A revoked asset of a number. */
interface Earlier {
  assetId: AssetId;
  licenseType: LicenseType;
  customerId: CustomerId;
  createdTime: number;
  createdByOrderId: LicenseOrderId;
  revokedTime: number;
  revokedByOrderId: LicenseOrderId;
}

/** The active and earlier assets of a number. */
interface FoundAsset {
  active: Active | null;
  /** Newest first. */
  earlier: Earlier[];
  hasMoreEarlier: boolean;
}

/** Finds the active asset of a number and earlier ones, of any channel; undefined if there never was one. */
export function findAssetOfNumber(db: Database, assetNum: string): Promise<FoundAsset | undefined> {
  return inSnapshot(db, async (trx) => {
    const active = await readActive(trx, assetNum);
    const earlier = await readEarlier(trx, assetNum);
    if (active === null && earlier.length === 0) return undefined;
    return { active, earlier: earlier.slice(0, MAX_EARLIER), hasMoreEarlier: earlier.length > MAX_EARLIER };
  });
}

async function readActive(trx: Trx, assetNum: string): Promise<Active | null> {
  const asset = await readActiveAsset(trx, null, assetNum);
  if (asset === undefined) return null;
  const { row, shown, lockNum } = asset;
  const grants = await selectGrantOrders(trx, row.id)
    .orderBy('license_order_id', 'desc')
    .limit(MAX_GRANTS + 1)
    .execute();
  const lentHere = await readLentInto(trx, row.id);
  return {
    ...shown,
    assigned: row.member_id !== null,
    lent: lockNum !== null,
    createdTime: row.created_time.getTime(),
    revokedTime: null,
    freezing: row.freezing,
    updatedTime: row.updated_time.getTime(),
    createdByOrderId: row.created_by_order_id,
    licenseOrderIds: grants.slice(0, MAX_GRANTS).map(({ id }) => id),
    hasMoreOrders: grants.length > MAX_GRANTS,
    holder: row.member_id === null ? null : { memberId: row.member_id, since: row.held_since!.getTime() },
    lentInto: lockNum === null ? null : { assetNum: lockNum, since: row.lent_since!.getTime() },
    lentHere: lentHere.slice(0, MAX_LENT),
    hasMoreLentHere: lentHere.length > MAX_LENT,
  };
}

async function readLentInto(trx: Trx, lockId: AssetId): Promise<Active['lentHere']> {
  const { rows } = await sql<{ asset_num: string; member_id: MemberId | null; created_time: Date }>`
    select asset_num, held.member_id, lending.created_time
    from asset_lending as lending
    join asset on asset.id = lending.asset_id
    left join asset_assignment as held on held.asset_id = lending.asset_id
    where lending.lock_asset_id = ${lockId}
    order by lending.asset_id limit ${MAX_LENT + 1}`.execute(trx);
  return rows.map((row) => ({
    assetNum: row.asset_num,
    memberId: row.member_id,
    since: row.created_time.getTime(),
  }));
}

interface EarlierRow {
  id: AssetId;
  license_type: LicenseType;
  customer_id: CustomerId;
  created_time: Date;
  created_by_order_id: LicenseOrderId;
  revoked_time: Date;
  revoked_by_order_id: LicenseOrderId;
}

async function readEarlier(trx: Trx, assetNum: string): Promise<Earlier[]> {
  const { rows } = await sql<EarlierRow>`
    select id, license_type, customer_id, created_time, created_by_order_id, revoked_time, revoked_by_order_id
    from asset where asset_num = ${assetNum} and revoked_time is not null
    order by revoked_time desc, id desc limit ${MAX_EARLIER + 1}`.execute(trx);
  return rows.map((row) => ({
    assetId: row.id,
    licenseType: row.license_type,
    customerId: row.customer_id,
    createdTime: row.created_time.getTime(),
    createdByOrderId: row.created_by_order_id,
    revokedTime: row.revoked_time.getTime(),
    revokedByOrderId: row.revoked_by_order_id,
  }));
}
