import type { Database } from '@lockstep/platform';
import { sql } from 'kysely';

/**
 * Compares the pending orders of each application and channel according to the activity notes with those of its chunks,
 * and looks for rows that the triggers must have refused: what is active under or inside what is not, and merchandise
 * that outlived its contents. Returns a line for each fault. Tests that change the ledger end with it.
 */
export async function checkNumbers(db: Database): Promise<string[]> {
  const { rows } = await sql<{ line: string }>`
    with contents as (
      select 'product' as kind, id, asset_id, license_order_id, held_by_order_id, merchandise_id as inside, revoked_time
      from product_instance
      union all
      select 'merchandise', id, asset_id, license_order_id, held_by_order_id, parent_id, revoked_time
      from merchandise_instance
    )
    select format('%s %s is active under an ended grant', kind, contents.id) as line from contents
    left join asset_grant g on g.asset_id = contents.asset_id
      and g.license_order_id = coalesce(held_by_order_id, contents.license_order_id) and g.revoked_time is null
    where contents.revoked_time is null and g.asset_id is null
    union all
    select format('%s %s is active inside a revoked merchandise', kind, contents.id) from contents
    join merchandise_instance m on m.id = inside
    where contents.revoked_time is null and m.revoked_time is not null
    union all
    select format('merchandise %s is active, but all its contents are revoked', m.id) from merchandise_instance m
    join contents on inside = m.id
    where m.revoked_time is null group by m.id having count(*) = count(contents.revoked_time)
    union all
    select format('asset %s is %s with %s active grants', id, case when revoked_time is null then 'active' else 'revoked' end, grants)
    from asset left join lateral (
      select count(*) as grants from asset_grant g where g.asset_id = asset.id and g.revoked_time is null
    ) as granted on true
    where (revoked_time is null) <> (grants > 0)
    union all
    select format('application %s in channel %s says %s pending and has %s', application_id, channel_id, sum(noted), sum(waiting))
    from (
      select application_id, channel_id, pending as noted, 0 as waiting from pending_orders
      union all select application_id, channel_id, pending, 0 from uncounted_activity
      union all select application_id, lane / 4, 0, order_count - succeeded - failed from (
        select batch.application_id, lane_chunk.* from lane_chunk join batch on id = batch_id
      ) as chunk
    ) as pending group by application_id, channel_id having sum(noted) <> sum(waiting)
    order by line`.execute(db);
  return rows.map(({ line }) => line);
}
