import { type AssetDetail, type LicenseOrderId, Refusal, type Viewer } from '@lockstep/contract';
import type { ActiveAsset, AssetOfNumber, EarlierAsset } from '@lockstep/contract/console';
import { customersOf, ownerOf } from '@lockstep/customers';
import { type Database, inMs, inSnapshot, type Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { type VerdictFacts, validityOf, verdictOf } from '../ledger/verdict.ts';
import { assetsOf } from '../tenant.ts';
import { readContents } from './contents.ts';
import { verdictFacts } from './verdict-facts.ts';

/** The columns of `asset` that a list shows, with its owner, and whether it is assigned and lent. */
const assetColumns = (viewer: Viewer) => sql`asset.id as "assetId", asset_num as "assetNum",
  license_type as "licenseType", ${ownerOf(viewer, 'asset.customer_id')} as owner,
  limit_start_date::float8 as "limitStartDate", limit_end_date::float8 as "limitEndDate", locked,
  borrowed_usb_key as "borrowedUsbKey", ${inMs('asset.created_time')} as "createdTime",
  exists (select from asset_assignment where asset_assignment.asset_id = asset.id) as assigned,
  exists (select from asset_lending where asset_lending.asset_id = asset.id) as lent`;

type Extends = Record<string, string> | null;

/** Shows extended attributes. */
export const listExtends = (stored: Extends) =>
  Object.entries(stored ?? {}).map(([extendCode, extendValue]) => ({ extendCode, extendValue }));

/**
 * SQL for the orders with active grants on an asset. After a transfer that is the order that transferred it (rules 6.5
 * Transfer).
 */
const grantsOf = (order: 'asc' | 'desc', limit: number | null) => sql<LicenseOrderId[]>`array (
  select license_order_id::text from asset_grant where asset_id = asset.id and asset_grant.revoked_time is null
  order by license_order_id ${sql.raw(order)} limit ${limit}
)`;

/** Shows whether an asset is in force, and whether it can be used. */
export const showFacts = (facts: VerdictFacts) => ({
  validity: validityOf(facts.period, facts.now),
  verdict: verdictOf(facts),
});

type AssetTerms = Omit<
  AssetDetail,
  'assetExtendList' | 'products' | 'merchandises' | 'memberGlobalId' | keyof ReturnType<typeof showFacts>
> & { extends: Extends; facts: VerdictFacts };

/**
 * Returns the active asset of a number (rules 6.7). Its contents are those bought for it, even while it is lent and the
 * member center shows them on the borrowed lock. A lock of a channel that the viewer is not bound to is not named.
 *
 * Throws a Refusal: asset_not_found, answer_too_large.
 */
export function showAsset(db: Database, viewer: Viewer, assetNum: string): Promise<AssetDetail> {
  return inSnapshot(db, async (trx) => {
    const { rows } = await sql<AssetTerms>`
      select asset.id as "assetId", asset_num as "assetNum", license_type as "licenseType",
        customer_id as "customerId", enterprise_id as "enterpriseGlobalId", limit_start_date::float8 as "limitStartDate",
        limit_end_date::float8 as "limitEndDate", locked, freezing, borrowed_usb_key as "borrowedUsbKey", extends,
        ${grantsOf('asc', null)} as "licenseOrderIds",
        exists (select from asset_assignment as held where held.asset_id = asset.id) as assigned,
        (
          select lock.asset_num from asset_lending as lent join ${assetsOf(viewer)} as lock on lock.id = lock_asset_id
          where lent.asset_id = asset.id
        ) as "lentInto", ${verdictFacts(viewer)} as facts
      from ${assetsOf(viewer)} as asset join ${customersOf(viewer)} as customer on customer.id = customer_id
      where asset_num = ${assetNum} and revoked_time is null`.execute(trx);
    const [asset] = rows;
    if (asset === undefined) throw new Refusal('asset_not_found', assetNum, 'now');
    const { extends: stored, facts, ...terms } = asset;
    return {
      ...terms,
      ...showFacts(facts),
      memberGlobalId: facts.holderId,
      assetExtendList: listExtends(stored),
      ...(await readContents(trx, [{ ...asset, period: facts.period }], facts.now)),
    };
  });
}

/** The most earlier assets, grants and loans that operators see. */
const MAX_EARLIER = 50;
const MAX_GRANTS = 50;
const MAX_LENT = 200;

/** SQL for the employee of an asset, as JSON with further fields. */
const holderOf = (assetId: string, more = sql``) => sql`(
  select json_build_object(
    'memberGlobalId', member.id::text, 'account', user_name || '@' || code, 'name', member.name ${more}
  )
  from asset_assignment as held join member on member.id = held.member_id
  join enterprise on enterprise.id = member.enterprise_id
  where held.asset_id = ${sql.ref(assetId)}
)`;

/** Finds the active asset of a number and earlier ones, for operators; undefined if there never was one. */
export function findAssetOfNumber(db: Database, viewer: Viewer, assetNum: string): Promise<AssetOfNumber | undefined> {
  return inSnapshot(db, async (trx) => {
    const active = await readActive(trx, viewer, assetNum);
    const { rows: earlier } = await sql<EarlierAsset>`
      select id as "assetId", license_type as "licenseType", ${ownerOf(viewer, 'asset.customer_id')} as owner,
        ${inMs('created_time')} as "createdTime", created_by_order_id as "createdByOrderId",
        ${inMs('revoked_time')} as "revokedTime", revoked_by_order_id as "revokedByOrderId"
      from ${assetsOf(viewer)} as asset where asset_num = ${assetNum} and revoked_time is not null
      order by revoked_time desc, id desc limit ${MAX_EARLIER + 1}`.execute(trx);
    if (active === null && earlier.length === 0) return undefined;
    return { assetNum, active, earlier: earlier.slice(0, MAX_EARLIER), hasMoreEarlier: earlier.length > MAX_EARLIER };
  });
}

async function readActive(trx: Trx, viewer: Viewer, assetNum: string): Promise<ActiveAsset | null> {
  const { rows } = await sql<
    Omit<ActiveAsset, 'assetExtendList' | 'verdict'> & { extends: Extends; facts: VerdictFacts }
  >`
    select ${assetColumns(viewer)}, ${verdictFacts(viewer)} as facts, freezing, ${inMs('updated_time')} as "updatedTime", extends,
      created_by_order_id as "createdByOrderId", ${grantsOf('desc', MAX_GRANTS + 1)} as "licenseOrderIds",
      ${holderOf('asset.id', sql`, 'since', ${inMs('held.created_time')}`)} as holder,
      (
        select json_build_object('assetNum', lock.asset_num, 'since', ${inMs('lent.created_time')})
        from asset_lending as lent join ${assetsOf(viewer)} as lock on lock.id = lock_asset_id
        where lent.asset_id = asset.id
      ) as "lentInto",
      (
        select coalesce(json_agg(
          json_build_object(
            'assetNum', inside.asset_num, 'holder', ${holderOf('lent.asset_id')}, 'since', ${inMs('lent.created_time')}
          ) order by lent.asset_id
        ), '[]')
        from (
          select * from asset_lending where lock_asset_id = asset.id order by asset_id limit ${MAX_LENT + 1}
        ) as lent join ${assetsOf(viewer)} as inside on inside.id = lent.asset_id
      ) as "lentHere"
    from ${assetsOf(viewer)} as asset where asset_num = ${assetNum} and revoked_time is null`.execute(trx);
  const [row] = rows;
  if (row === undefined) return null;
  const { extends: stored, facts, licenseOrderIds, lentHere, ...asset } = row;
  return {
    ...asset,
    ...showFacts(facts),
    assetExtendList: listExtends(stored),
    licenseOrderIds: licenseOrderIds.slice(0, MAX_GRANTS),
    hasMoreOrders: licenseOrderIds.length > MAX_GRANTS,
    lentHere: lentHere.slice(0, MAX_LENT),
    hasMoreLentHere: lentHere.length > MAX_LENT,
  };
}
