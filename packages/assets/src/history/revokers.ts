import type { LicenseOrderId } from '@lockstep/contract';
import { type RawBuilder, sql } from 'kysely';

/**
 * Returns a query of the orders that revoked contents of an asset, as `id`, in descending order. `assetId`: a column of
 * the outer query. It skips from order to order in the index, regardless of how much each revoked, which may be a
 * hundred thousand rows.
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

/**
 * Returns a query of the orders of any sender that changed an asset with this number, active or revoked: at most
 * `limit` ids below one, in descending order.
 *
 * Each asset that ever had the number costs a few lookups, and only requested rows are read, however many contents an
 * asset has.
 */
export function ordersOfNumber(assetNum: string, below: LicenseOrderId, limit: number): RawBuilder<unknown> {
  return sql`
    select distinct did.id from (
      select id, revoked_by_order_id from asset where asset_num = ${assetNum} and revoked_time is null
      union all
      select id, revoked_by_order_id from asset where asset_num = ${assetNum} and revoked_time is not null
    ) as life cross join lateral (
      select life.revoked_by_order_id as id where life.revoked_by_order_id < ${below}
      union all
      (
        select license_order_id from asset_grant
        where asset_id = life.id and license_order_id < ${below} order by license_order_id desc limit ${limit}
      )
      union all
      (${revokersOf('asset_grant', sql`life.id`, below)} limit ${limit})
      union all
      (${revokersOf('product_instance', sql`life.id`, below)} limit ${limit})
    ) as did
    order by did.id desc limit ${limit}`;
}
