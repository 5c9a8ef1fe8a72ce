-- What was taken over goes back to the orders that bought it: their grants to active assets last again. Merchandises
-- that ended stay revoked.
alter table asset drop constraint asset_revoked_by;
alter table asset_grant drop constraint asset_grant_revoked_by;
alter table merchandise_instance drop constraint merchandise_instance_revoked_by;
alter table product_instance drop constraint product_instance_revoked_by;
drop trigger check_transferred on asset;
drop function check_transferred();
drop trigger check_taken_over on merchandise_instance;
drop trigger check_taken_over on product_instance;
drop function check_taken_over();

alter table asset_grant disable trigger check_revoked_stays;
update asset_grant g set revoked_time = null from (
  select asset_id, license_order_id from merchandise_instance where held_by_order_id is not null and revoked_time is null
  union
  select asset_id, license_order_id from product_instance where held_by_order_id is not null and revoked_time is null
) as taken
where g.asset_id = taken.asset_id and g.license_order_id = taken.license_order_id and g.revoked_time is not null;
alter table asset_grant enable trigger check_revoked_stays;

create or replace function check_grants_updated() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  if exists (
    select from (select distinct asset_id from changed) as touched
    cross join lateral (
      select m.license_order_id from merchandise_instance m
      where m.asset_id = touched.asset_id and m.revoked_time is null
      union all
      select p.license_order_id from product_instance p
      where p.asset_id = touched.asset_id and p.revoked_time is null
      offset 0
    ) as active
    cross join lateral (
      select g.revoked_time from asset_grant g
      where g.asset_id = touched.asset_id and g.license_order_id = active.license_order_id offset 0
    ) as granted
    where granted.revoked_time is not null
  ) then
    raise check_violation using message = 'asset_grant: revoked with something of it active';
  end if;
  return null;
end $$;

create or replace function check_merchandises_inserted() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  if exists (
    select from changed
    left join lateral (
      select g.asset_id, g.revoked_time from asset_grant g
      where g.asset_id = changed.asset_id and g.license_order_id = changed.license_order_id offset 0
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

create or replace function check_products_inserted() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  if exists (
    select from changed
    left join lateral (
      select g.asset_id, g.revoked_time from asset_grant g
      where g.asset_id = changed.asset_id and g.license_order_id = changed.license_order_id offset 0
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

alter table product_instance drop column revoked_by_order_id, drop column held_by_order_id;
alter table merchandise_instance drop column revoked_by_order_id, drop column held_by_order_id;
alter table asset_grant drop column revoked_by_order_id;
alter table asset drop column revoked_by_order_id;
