-- A merchandise or a product is active only while the grant of the order that stands for it is. What stands in a
-- merchandise is of the same asset and order, and active only while that merchandise is. The argument is the column
-- that names this merchandise.
create or replace function check_contents_inserted() returns trigger language plpgsql set enable_seqscan = off as $$
declare
  misplaced boolean;
begin
  if exists (
    select from changed
    left join lateral (
      select g.asset_id, g.revoked_time from asset_grant g
      where g.asset_id = changed.asset_id
        and g.license_order_id = coalesce(changed.held_by_order_id, changed.license_order_id) offset 0
    ) as granted on true
    where granted.asset_id is null or (changed.revoked_time is null and granted.revoked_time is not null)
  ) then
    raise foreign_key_violation using message = tg_table_name || ': active without an active grant';
  end if;
  execute format('select exists (
    select from changed
    left join lateral (
      select m.asset_id, m.license_order_id, m.revoked_time from merchandise_instance m
      where m.id = changed.%1$I offset 0
    ) as outer_one on true
    where changed.%1$I is not null and (
      (outer_one.asset_id, outer_one.license_order_id) is distinct from (changed.asset_id, changed.license_order_id)
      or (changed.revoked_time is null and outer_one.revoked_time is not null)
    )
  )', tg_argv[0]) into misplaced;
  if misplaced then
    raise foreign_key_violation using message = tg_table_name || ': active without its active merchandise';
  end if;
  return null;
end $$;
