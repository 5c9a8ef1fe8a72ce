import type { Viewer } from '@lockstep/contract';
import { inMs } from '@lockstep/platform';
import { sql } from 'kysely';
import type { Period, VerdictFacts } from '../ledger/verdict.ts';
import { assetsOf } from '../tenant.ts';

/** SQL for the time of reading in milliseconds, as a bigint like limit dates. It decides what is in force. */
export const NOW_MS = sql`floor(extract(epoch from statement_timestamp()) * 1000)::bigint`;

/** Who asked to disable or freeze an asset is named to operators, and to the application that sent that call. */
type FactsViewer = Pick<Viewer, 'channels'> & { applicationId?: Viewer['applicationId'] };

/** SQL for the dates of `asset`. */
export const PERIOD = sql<Period>`json_build_object('start', asset.limit_start_date, 'end', asset.limit_end_date)`;

const ALL_ASSETS = assetsOf({ channels: null });

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

/**
 * SQL for the facts of a verdict, for a query of `asset` (rules 6.7). It reads products only up to the first that is in
 * force; without one, all of the asset.
 */
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
    'unassignedSince', ${inMs('asset.created_time')},
    'products', coalesce(
      (
        select json_build_object('areInForce', true) from ${PRODUCTS}
        where coalesce(begins <= ${NOW_MS}, true) and coalesce(ends >= ${NOW_MS}, true) limit 1
      ),
      (
        select json_build_object('areInForce', false, 'lastEnd', max(ends), 'nextStart',
          min(begins) filter (where coalesce(ends >= ${NOW_MS}, true)))
        from ${PRODUCTS} having count(*) > 0
      )
    )
  )`;
}
