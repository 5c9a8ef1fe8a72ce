import type { LicenseOrderId } from '@lockstep/contract';
import { type RawBuilder, sql } from 'kysely';
import { revokersOf } from './revokers.ts';

/**
 * Builds a query of the orders that did something to an asset of a number, active or revoked, whoever sent them: at
 * most `limit` ids below one, the highest first.
 *
 * Each asset that ever had the number costs a few look-ups, and no row is read that was not asked for, however much an
 * asset holds.
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
