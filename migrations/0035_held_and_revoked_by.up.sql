-- Which order stands for what is on an asset, and which one revoked it. The order that transferred an asset holds what
-- came with the asset; held_by_order_id is null if the order that bought something still stands for it.
alter table asset add column revoked_by_order_id bigint;
alter table asset_grant add column revoked_by_order_id bigint;
alter table merchandise_instance add column held_by_order_id bigint, add column revoked_by_order_id bigint;
alter table product_instance add column held_by_order_id bigint, add column revoked_by_order_id bigint;

-- A grant is revoked with everything that its order stands for on the asset.
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

-- A merchandise or product is there because an order granted to its asset, and it is active only while the grant of the
-- order that stands for it is. Its merchandise is of the same asset and order, and active while it is.
create or replace function check_merchandises_inserted() returns trigger language plpgsql set enable_seqscan = off as $$
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

create or replace function check_products_inserted() returns trigger language plpgsql set enable_seqscan = off as $$
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

-- What is on an asset is taken over by an order that transferred the asset, and by no other.
create function check_taken_over() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  if exists (
    select from (
      select id, asset_id, held_by_order_id from changed except select id, asset_id, held_by_order_id from before
    ) as taken
    left join lateral (
      select t.asset_id from asset_transfer t
      where t.asset_id = taken.asset_id and t.license_order_id = taken.held_by_order_id offset 0
    ) as transfer on true
    where transfer.asset_id is null
  ) then
    raise check_violation using message = tg_table_name || ': held by an order that did not transfer its asset';
  end if;
  return null;
end $$;

create trigger check_taken_over after update on merchandise_instance
  referencing old table as before new table as changed for each statement execute function check_taken_over();
create trigger check_taken_over after update on product_instance
  referencing old table as before new table as changed for each statement execute function check_taken_over();

-- An asset gets another customer by a transfer, which names the order.
create function check_transferred() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  if exists (
    select from (select id, customer_id from changed except select id, customer_id from before) as moved
    left join lateral (
      select t.asset_id from asset_transfer t
      where t.asset_id = moved.id and t.to_customer_id = moved.customer_id offset 0
    ) as transfer on true
    where transfer.asset_id is null
  ) then
    raise check_violation using message = 'asset: another customer without a transfer';
  end if;
  return null;
end $$;

create trigger check_transferred after update on asset
  referencing old table as before new table as changed for each statement execute function check_transferred();

-- The assets that were transferred before: the present customer's first order after the last order of another customer
-- takes over what came with the asset. So far the former customers' orders stood for it, and nobody could name the
-- order of a cloud license to revoke it.
create temporary table taken_over on commit drop as
with granted as (
  select asset_id, license_order_id, revoked_time, g.created_time, o.customer_id::bigint,
    row_number() over (
      partition by asset_id
      order by g.created_time, license_order_id / 8192, b.sequences[license_order_id % 8192 + 1], license_order_id
    ) as place
  from asset_grant g
  join license_order o on o.id = license_order_id
  left join batch b on b.id = license_order_id / 8192
  where asset_id in (select asset_id from asset_transfer)
), last_of_others as (
  select asset_id, max(place) as place from granted join asset on asset.id = asset_id
  where asset.revoked_time is null and granted.customer_id <> asset.customer_id
  group by asset_id
), transferring as (
  select distinct on (asset_id) asset_id, granted.license_order_id, granted.created_time, granted.place
  from granted join last_of_others using (asset_id) where granted.place > last_of_others.place
  order by asset_id, granted.place
)
select asset_id, granted.license_order_id, transferring.license_order_id as by_order_id,
  greatest(granted.created_time, transferring.created_time) as taken_time
from granted join transferring using (asset_id)
where granted.place < transferring.place and granted.revoked_time is null;

analyze taken_over;

update merchandise_instance m
set held_by_order_id = by_order_id, updated_time = greatest(m.created_time, statement_timestamp())
from taken_over t
where m.asset_id = t.asset_id and m.license_order_id = t.license_order_id and m.revoked_time is null;
update product_instance p
set held_by_order_id = by_order_id, updated_time = greatest(p.created_time, statement_timestamp())
from taken_over t
where p.asset_id = t.asset_id and p.license_order_id = t.license_order_id and p.revoked_time is null;

-- The grant of that order may have been revoked while the others lasted. It stands for them now, so it lasts again.
alter table asset_grant disable trigger check_revoked_stays;
update asset_grant g set revoked_time = null from (select distinct asset_id, by_order_id from taken_over) as t
where g.asset_id = t.asset_id and g.license_order_id = t.by_order_id and g.revoked_time is not null;
alter table asset_grant enable trigger check_revoked_stays;
update asset_grant g set revoked_time = taken_time, revoked_by_order_id = by_order_id from taken_over t
where g.asset_id = t.asset_id and g.license_order_id = t.license_order_id;

-- A merchandise ends with the last product and merchandise in it. Those whose contents were all revoked ended then; it
-- is not known by which order. Innermost first, as deep as they nest. Version 1 stored times before that of a row's
-- creation.
do $$
begin
  loop
    update merchandise_instance m set revoked_time = greatest(m.created_time, emptied.revoked_time),
      updated_time = greatest(m.created_time, m.updated_time, emptied.revoked_time)
    from (
      select inside_id, max(revoked_time) as revoked_time
      from (
        select merchandise_id as inside_id, revoked_time from product_instance where merchandise_id is not null
        union all
        select parent_id, revoked_time from merchandise_instance where parent_id is not null
      ) as content
      group by inside_id having bool_and(revoked_time is not null)
    ) as emptied
    where m.id = emptied.inside_id and m.revoked_time is null;
    exit when not found;
  end loop;
end $$;

-- From now on a revoked row says which order revoked it. It is not known of rows that were revoked before.
alter table asset add constraint asset_revoked_by
  check ((revoked_time is null) = (revoked_by_order_id is null)) not valid;
alter table asset_grant add constraint asset_grant_revoked_by
  check ((revoked_time is null) = (revoked_by_order_id is null)) not valid;
alter table merchandise_instance add constraint merchandise_instance_revoked_by
  check ((revoked_time is null) = (revoked_by_order_id is null)) not valid;
alter table product_instance add constraint product_instance_revoked_by
  check ((revoked_time is null) = (revoked_by_order_id is null)) not valid;
