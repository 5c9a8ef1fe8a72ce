create function check_merchandises_inserted() returns trigger language plpgsql set enable_seqscan = off as $$
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
    raise foreign_key_violation using message = 'merchandise_instance: active without an active grant';
  end if;
  if exists (
    select from changed
    left join lateral (
      select m.asset_id, m.license_order_id, m.revoked_time from merchandise_instance m
      where m.id = changed.parent_id offset 0
    ) as parent on true
    where changed.parent_id is not null and (
      (parent.asset_id, parent.license_order_id) is distinct from (changed.asset_id, changed.license_order_id)
      or (changed.revoked_time is null and parent.revoked_time is not null)
    )
  ) then
    raise foreign_key_violation using message = 'merchandise_instance: active without its active parent';
  end if;
  return null;
end $$;
create or replace trigger check_inserted after insert on merchandise_instance
  referencing new table as changed for each statement execute function check_merchandises_inserted();

create function check_products_inserted() returns trigger language plpgsql set enable_seqscan = off as $$
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
    raise foreign_key_violation using message = 'product_instance: active without an active grant';
  end if;
  if exists (
    select from changed
    left join lateral (
      select m.asset_id, m.license_order_id, m.revoked_time from merchandise_instance m
      where m.id = changed.merchandise_id offset 0
    ) as parent on true
    where changed.merchandise_id is not null and (
      (parent.asset_id, parent.license_order_id) is distinct from (changed.asset_id, changed.license_order_id)
      or (changed.revoked_time is null and parent.revoked_time is not null)
    )
  ) then
    raise foreign_key_violation using message = 'product_instance: active without its active merchandise';
  end if;
  return null;
end $$;
create or replace trigger check_inserted after insert on product_instance
  referencing new table as changed for each statement execute function check_products_inserted();

drop function check_contents_inserted();
