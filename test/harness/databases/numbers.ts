import type { Database } from '@lockstep/platform';
import { sql } from 'kysely';

const numbersOf = (products: string, merchandises: string) =>
  sql.raw(`format('%s products, %s merchandises', coalesce(${products}, 0), coalesce(${merchandises}, 0))`);

/**
 * Compares counts with what they count: active contents of assets, grants and merchandises; grants of assets; pending
 * orders of each application and channel according to the activity notes. Returns a line for each difference. Triggers
 * refuse a count that is too low. Only this check finds one that stays too high, so tests that change the ledger end
 * with it.
 */
export async function checkNumbers(db: Database): Promise<string[]> {
  const { rows } = await sql<{ line: string }>`
    with active as (
      select asset_id, coalesce(held_by_order_id, license_order_id) as order_id, merchandise_id as inside, 1 as product, 0 as merchandise
      from product_instance where revoked_time is null
      union all
      select asset_id, coalesce(held_by_order_id, license_order_id), parent_id, 0, 1
      from merchandise_instance where revoked_time is null
    ),
    numbered as (
      select 'asset ' || id as what,
        active_grants || ' grants, ' || ${numbersOf('active_products', 'active_merchandises')} as says,
        coalesce(grants, 0) || ' grants, ' || ${numbersOf('products', 'merchandises')} as has
      from asset left join (
        select asset_id, sum(product) as products, sum(merchandise) as merchandises from active group by 1
      ) as counted on counted.asset_id = id
      left join (
        select asset_id, count(*) as grants from asset_grant where revoked_time is null group by 1
      ) as granted on granted.asset_id = id
      union all
      select format('grant of order %s to asset %s', license_order_id, g.asset_id),
        ${numbersOf('active_products', 'active_merchandises')}, ${numbersOf('products', 'merchandises')}
      from asset_grant g left join (
        select asset_id, order_id, sum(product) as products, sum(merchandise) as merchandises from active group by 1, 2
      ) as counted on (counted.asset_id, order_id) = (g.asset_id, license_order_id)
      union all
      select 'merchandise ' || id, active_contents || ' contents', coalesce(contents, 0) || ' contents'
      from merchandise_instance left join (
        select inside, count(*) as contents from active group by 1
      ) as counted on counted.inside = id
      union all
      select format('application %s in channel %s', application_id, channel_id),
        sum(noted) || ' pending', sum(waiting) || ' pending'
      from (
        select application_id, channel_id, pending as noted, 0 as waiting from pending_orders
        union all select application_id, channel_id, pending, 0 from uncounted_activity
        union all select application_id, lane >> 4, 0, order_count - succeeded - failed from (
          select batch.application_id, lane_chunk.* from lane_chunk join batch on id = batch_id
        ) as chunk
      ) as pending group by application_id, channel_id
    )
    select format('%s says %s and has %s', what, says, has) as line from numbered where says <> has order by what`.execute(
    db,
  );
  return rows.map(({ line }) => line);
}
