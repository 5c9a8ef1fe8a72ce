-- An active grant is to an active asset, and every grant is of an order that bought and succeeded.
create or replace function check_grants_inserted() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  if exists (
    select from changed
    left join lateral (
      select a.id, a.revoked_time from asset a where a.id = changed.asset_id offset 0
    ) as asset on true
    where asset.id is null or (changed.revoked_time is null and asset.revoked_time is not null)
  ) then
    raise foreign_key_violation using message = 'asset_grant: active without an active asset';
  end if;
  if exists (
    select from changed
    left join lateral (
      select o.order_type, o.cause from license_order o where o.id = changed.license_order_id
      union all
      select a.order_type, null from archived_order a where a.id = changed.license_order_id
      limit 1
    ) as bought on true
    where bought.order_type is distinct from 'new_buy' or bought.cause is not null
  ) then
    raise foreign_key_violation using message = 'asset_grant: its order is not a succeeded new_buy';
  end if;
  return null;
end $$;
