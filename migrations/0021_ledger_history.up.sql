-- What may happen to the ledger's rows, checked once a statement over all of its rows, like the checks of 0016.
--
-- A function keeps the plans of its first call, which may have seen few rows in small tables. So what was and what is
-- are compared with EXCEPT, never with a join; and the settings at the end of this file leave one plan only for what is
-- looked up: an index, row by row, in the order as written. What is active is looked for once an asset, so that a
-- statement that revokes thousands of rows of one asset looks through them once.

-- What was revoked stays on record as it was.
create function check_revoked_stays() returns trigger language plpgsql as $$
begin
  if exists (select from before where revoked_time is not null) then
    raise check_violation using message = tg_table_name || ': a revoked row never changes';
  end if;
  return null;
end $$;

create trigger check_revoked_stays after update on asset
  referencing old table as before for each statement execute function check_revoked_stays();
create trigger check_revoked_stays after update on asset_grant
  referencing old table as before for each statement execute function check_revoked_stays();
create trigger check_revoked_stays after update on merchandise_instance
  referencing old table as before for each statement execute function check_revoked_stays();
create trigger check_revoked_stays after update on product_instance
  referencing old table as before for each statement execute function check_revoked_stays();

-- An asset that is revoked or transferred is nobody's any more: not assigned, not lent, and nothing lent into it.
create function check_released() returns trigger language plpgsql as $$
begin
  if exists (
    select from (
      select id from changed where revoked_time is not null
      union all
      select id from (select id, customer_id from changed except select id, customer_id from before) as transferred
    ) as gone
    where exists (select from asset_assignment a where a.asset_id = gone.id)
      or exists (select from asset_lending l where l.asset_id = gone.id)
      or exists (select from asset_lending l where l.lock_asset_id = gone.id)
  ) then
    raise check_violation using message = 'asset: revoked or transferred while it is assigned or lent';
  end if;
  return null;
end $$;

create trigger check_released after update on asset
  referencing old table as before new table as changed for each statement execute function check_released();

-- A grant is that of an order that bought. (That its asset is active is checked by check_contents of 0016.)
create function check_grants() returns trigger language plpgsql as $$
begin
  if exists (
    select from changed left join license_order o on o.id = license_order_id
    where o.id is null or o.order_type <> 'new_buy' or o.cause is not null
  ) then
    raise foreign_key_violation using message = 'asset_grant: its order is not a succeeded new_buy';
  end if;
  return null;
end $$;

create trigger check_order after insert on asset_grant
  referencing new table as changed for each statement execute function check_grants();

create function check_revoked_grants() returns trigger language plpgsql as $$
begin
  if exists (
    select from (select distinct asset_id from changed) as touched
    join merchandise_instance m on m.asset_id = touched.asset_id and m.revoked_time is null
    join asset_grant g on g.asset_id = m.asset_id and g.license_order_id = m.license_order_id
    where g.revoked_time is not null
  ) or exists (
    select from (select distinct asset_id from changed) as touched
    join product_instance p on p.asset_id = touched.asset_id and p.revoked_time is null
    join asset_grant g on g.asset_id = p.asset_id and g.license_order_id = p.license_order_id
    where g.revoked_time is not null
  ) then
    raise check_violation using message = 'asset_grant: revoked with something of it active';
  end if;
  return null;
end $$;

create trigger check_contents after update on asset_grant
  referencing new table as changed for each statement execute function check_revoked_grants();

-- A merchandise or product is there because an order granted to its asset, and it is active only while that grant is,
-- so while the asset is: this takes the place of check_contents for them. It stands inside a merchandise of the same
-- asset and order, if in any, and is active only while that one is.
create function check_merchandises() returns trigger language plpgsql as $$
begin
  if exists (
    select from changed left join asset_grant g using (asset_id, license_order_id)
    where g.asset_id is null or (changed.revoked_time is null and g.revoked_time is not null)
  ) then
    raise foreign_key_violation using message = 'merchandise_instance: active without an active grant';
  end if;
  if exists (
    select from changed left join merchandise_instance m
      on m.id = changed.parent_id and m.asset_id = changed.asset_id and m.license_order_id = changed.license_order_id
    where changed.parent_id is not null
      and (m.id is null or (changed.revoked_time is null and m.revoked_time is not null))
  ) then
    raise foreign_key_violation using message = 'merchandise_instance: active without its active parent';
  end if;
  return null;
end $$;

create function check_products() returns trigger language plpgsql as $$
begin
  if exists (
    select from changed left join asset_grant g using (asset_id, license_order_id)
    where g.asset_id is null or (changed.revoked_time is null and g.revoked_time is not null)
  ) then
    raise foreign_key_violation using message = 'product_instance: active without an active grant';
  end if;
  if exists (
    select from changed left join merchandise_instance m
      on m.id = merchandise_id and m.asset_id = changed.asset_id and m.license_order_id = changed.license_order_id
    where merchandise_id is not null
      and (m.id is null or (changed.revoked_time is null and m.revoked_time is not null))
  ) then
    raise foreign_key_violation using message = 'product_instance: active without its active merchandise';
  end if;
  return null;
end $$;

drop trigger check_inserted on merchandise_instance;
drop trigger check_inserted on product_instance;
create trigger check_inserted after insert on merchandise_instance
  referencing new table as changed for each statement execute function check_merchandises();
create trigger check_inserted after insert on product_instance
  referencing new table as changed for each statement execute function check_products();

-- A merchandise is revoked with what is in it, and what was bought onto one asset never moves to another.
create function check_updated_merchandises() returns trigger language plpgsql as $$
begin
  if exists (
    select id, asset_id, license_order_id from before except select id, asset_id, license_order_id from changed
  ) then
    raise check_violation using message = 'merchandise_instance: moved to another asset or order';
  end if;
  if exists (
    select from (select distinct asset_id from changed) as touched
    join merchandise_instance m on m.asset_id = touched.asset_id and m.revoked_time is null
    join merchandise_instance parent on parent.id = m.parent_id
    where parent.revoked_time is not null
  ) or exists (
    select from (select distinct asset_id from changed) as touched
    join product_instance p on p.asset_id = touched.asset_id and p.revoked_time is null
    join merchandise_instance parent on parent.id = p.merchandise_id
    where parent.revoked_time is not null
  ) then
    raise check_violation using message = 'merchandise_instance: revoked with something active in it';
  end if;
  return null;
end $$;

create trigger check_updated after update on merchandise_instance
  referencing old table as before new table as changed for each statement execute function check_updated_merchandises();

create function check_updated_products() returns trigger language plpgsql as $$
begin
  if exists (
    select id, asset_id, license_order_id from before except select id, asset_id, license_order_id from changed
  ) then
    raise check_violation using message = 'product_instance: moved to another asset or order';
  end if;
  return null;
end $$;

create trigger check_updated after update on product_instance
  referencing old table as before new table as changed for each statement execute function check_updated_products();

do $$
declare
  checks regproc[] := array['check_assets', 'check_contents', 'check_released', 'check_grants', 'check_revoked_grants',
    'check_merchandises', 'check_products', 'check_updated_merchandises'];
  name regproc;
begin
  foreach name in array checks loop
    execute format('alter function %s() set enable_seqscan = off', name);
    execute format('alter function %s() set enable_hashjoin = off', name);
    execute format('alter function %s() set enable_mergejoin = off', name);
    execute format('alter function %s() set join_collapse_limit = 1', name);
  end loop;
end $$;
