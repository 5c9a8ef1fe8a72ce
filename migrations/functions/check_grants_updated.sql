-- A grant is revoked together with everything that its order stands for on the asset. What is active is read once an
-- asset, so that a statement that revokes thousands of rows of one asset reads them once.
create or replace function check_grants_updated() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  if exists (
    select from (select distinct asset_id from changed) as touched
    cross join lateral (
      select coalesce(m.held_by_order_id, m.license_order_id) as order_id from merchandise_instance m
      where m.asset_id = touched.asset_id and m.revoked_time is null
      union all
      select coalesce(p.held_by_order_id, p.license_order_id) from product_instance p
      where p.asset_id = touched.asset_id and p.revoked_time is null
      offset 0
    ) as active
    cross join lateral (
      select g.revoked_time from asset_grant g
      where g.asset_id = touched.asset_id and g.license_order_id = active.order_id offset 0
    ) as granted
    where granted.revoked_time is not null
  ) then
    raise check_violation using message = 'asset_grant: revoked with something of it active';
  end if;
  return null;
end $$;
