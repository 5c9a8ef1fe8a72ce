import type { VerdictReason, Viewer } from '@lockstep/contract';
import { inMs } from '@lockstep/platform';
import { type RawBuilder, sql } from 'kysely';
import type { Period, VerdictFacts } from '../ledger/verdict.ts';
import { ALL_ASSETS, assetsOf } from '../tenant.ts';

/** SQL for the time of reading in milliseconds, as a bigint like limit dates. It decides what is in force. */
export const NOW_MS = sql`floor(extract(epoch from statement_timestamp()) * 1000)::bigint`;

/** Who asked to disable or freeze an asset is named to operators, and to the application that sent that call. */
type FactsViewer = Pick<Viewer, 'channels'> & { applicationId?: Viewer['applicationId'] };

/** SQL for the dates of `asset`. */
export const PERIOD = sql<Period>`json_build_object('start', asset.limit_start_date, 'end', asset.limit_end_date)`;

/** The dates of the active products on `asset`, and of those lent into it, within the dates of their assets. */
const PRODUCTS = sql`(
  select limit_start_date as begins, limit_end_date as ends from product_instance
  where asset_id = asset.id and revoked_time is null
  union all
  select greatest(product.limit_start_date, inside.limit_start_date), least(product.limit_end_date, inside.limit_end_date)
  from asset_lending as lent join ${ALL_ASSETS} as inside on inside.id = lent.asset_id
  join product_instance as product on product.asset_id = inside.id
  where asset.borrowed_usb_key and lent.lock_asset_id = asset.id and product.revoked_time is null
) as product`;

/** SQL for what is in force of the products on `asset`. It stops at the first; without one, it reads all. */
const PRODUCT_FACTS = sql`coalesce(
  (
    select json_build_object('areInForce', true) from ${PRODUCTS}
    where coalesce(begins <= ${NOW_MS}, true) and coalesce(ends >= ${NOW_MS}, true) limit 1
  ),
  (
    select json_build_object('areInForce', false, 'lastEnd', max(ends), 'nextStart',
      min(begins) filter (where coalesce(ends >= ${NOW_MS}, true)))
    from ${PRODUCTS} having count(*) > 0
  )
)`;

/** SQL: whether dates are in force (rules 6.7). */
export const validityIn = (start: RawBuilder<unknown>, end: RawBuilder<unknown>) =>
  sql`case when ${end} < ${NOW_MS} then 'expired' when ${start} > ${NOW_MS} then 'future' else 'active' end`;

/** SQL for the validity of `asset`. */
export const ASSET_VALIDITY = validityIn(sql`asset.limit_start_date`, sql`asset.limit_end_date`);

/** SQL: whether the dates of `asset` are in force, and those of no product on it. */
const arePast = (isNext: RawBuilder<unknown>) => sql`(${ASSET_VALIDITY} = 'active' and (
  select facts ->> 'areInForce' = 'false' and facts ->> 'nextStart' ${isNext} from (select ${PRODUCT_FACTS} as facts) as of
))`;

/** SQL: whether a verdict on `asset` has a reason. */
export const HAS_REASON: Record<VerdictReason['reason'], RawBuilder<unknown>> = {
  revoked: sql`asset.revoked_time is not null`,
  locked: sql`asset.locked`,
  frozen: sql`asset.freezing`,
  not_yet: sql`(${ASSET_VALIDITY} = 'future' or ${arePast(sql`is not null`)})`,
  expired: sql`(${ASSET_VALIDITY} = 'expired' or ${arePast(sql`is null`)})`,
  lent: sql`exists (select from asset_lending as lent where lent.asset_id = asset.id)`,
  unassigned: sql`(
    not asset.borrowed_usb_key and not exists (select from asset_assignment as held where held.asset_id = asset.id)
  )`,
  empty: sql`not exists (select from ${PRODUCTS})`,
};

/** SQL for the facts of a verdict, for a query of `asset` (rules 6.7). */
export function verdictFacts({ channels, applicationId }: FactsViewer) {
  const isNamed =
    applicationId === undefined
      ? sql`false`
      : applicationId === null
        ? sql`true`
        : sql`application_id = ${applicationId}`;
  return sql<VerdictFacts>`json_build_object(
    'now', ${NOW_MS},
    'period', ${PERIOD},
    'isBorrowedLock', asset.borrowed_usb_key,
    'revoked', case when asset.revoked_time is not null then json_build_object(
      'since', ${inMs('asset.revoked_time')}, 'licenseOrderId', asset.revoked_by_order_id::text
    ) end,
    'locked', asset.locked,
    'freezing', asset.freezing,
    'stopped', case when asset.locked or asset.freezing then (
      select json_build_object(
        'since', ${inMs('recorded_time')}, 'operatorIdentity', case when ${isNamed} then operator_identity end
      )
      from (select * from lock_audit where asset_id = asset.id offset 0) as entry order by entry.id desc limit 1
    ) end,
    'lent', (
      select json_build_object('since', ${inMs('lent.created_time')}, 'lockAssetNum', (
        select lock.asset_num from ${assetsOf({ channels })} as lock where lock.id = lent.lock_asset_id
      ))
      from asset_lending as lent where lent.asset_id = asset.id
    ),
    'holderId', (select member_id::text from asset_assignment as held where held.asset_id = asset.id),
    'unassignedSince', coalesce((
      select ${inMs('ended_time')} from ended_holding as held
      where held.asset_id = asset.id and lock_asset_id is null order by held.id desc limit 1
    ), ${inMs('asset.created_time')}),
    'products', ${PRODUCT_FACTS}
  )`;
}
