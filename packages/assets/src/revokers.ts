import type { LicenseOrderId } from '@lockstep/contract';
import { type RawBuilder, sql } from 'kysely';

/**
 * Builds a query of the orders that revoked something of an asset, as `id`, the highest first. `assetId`: a column of
 * the query around it. It goes from order to order in the index, however much each of them revoked: it may be a hundred
 * thousand.
 */
export function revokersOf(
  table: 'asset_grant' | 'product_instance',
  assetId: RawBuilder<unknown>,
  below: LicenseOrderId,
): RawBuilder<unknown> {
  const nextBelow = (id: RawBuilder<unknown>) => sql`(
    select revoked_by_order_id from ${sql.table(table)}
    where asset_id = ${assetId} and revoked_time is not null and revoked_by_order_id < ${id}
    order by revoked_by_order_id desc limit 1
  )`;
  return sql`
    with recursive revoker (id) as (
      ${nextBelow(sql`${below}`)}
      union all
      select ${nextBelow(sql`revoker.id`)} from revoker where revoker.id is not null
    )
    select id from revoker where id is not null`;
}
