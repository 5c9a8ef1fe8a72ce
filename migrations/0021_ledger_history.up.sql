-- Triggers check once a statement, over all of its rows, that rows of the ledger fit together and change only as they
-- may. They replace the checks of 0016.
--
-- A function keeps the plans of its first call, which may have seen few rows in small tables. So these leave
-- PostgreSQL's planner no choice: they compare old and new rows with EXCEPT, and look everything else up row by row in
-- an index (a lateral subquery with OFFSET never becomes another kind of join). They read what is active once an asset,
-- so that a statement that revokes thousands of rows of one asset reads them once.
drop function check_assets() cascade;
drop function check_contents() cascade;

-- Nothing of the ledger is ever removed, and the outcome of an order never changes.
create trigger refuse_change before delete or truncate on asset for each statement execute function refuse_change();
create trigger refuse_change before delete or truncate on asset_grant for each statement execute function refuse_change();
create trigger refuse_change before delete or truncate on merchandise_instance
  for each statement execute function refuse_change();
create trigger refuse_change before delete or truncate on product_instance
  for each statement execute function refuse_change();
create trigger refuse_change before update or delete or truncate on license_order
  for each statement execute function refuse_change();

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

-- An asset belongs to a customer.
create function check_customers() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  if exists (
    select from changed
    left join lateral (select c.id from customer c where c.id = changed.customer_id offset 0) as owner on true
    where owner.id is null
  ) then
    raise foreign_key_violation using message = 'asset: its customer does not exist';
  end if;
  return null;
end $$;

create trigger check_customers_of_inserted after insert on asset
  referencing new table as changed for each statement execute function check_customers();
create trigger check_customers_of_updated after update on asset
  referencing new table as changed for each statement execute function check_customers();

-- When an asset is revoked, no grant to it lasts, so nothing on it is active. When it is revoked or transferred it is
-- neither assigned nor lent, and nothing is lent into it.
create function check_assets_updated() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  if exists (
    select from changed cross join lateral (
      select from asset_grant g where g.asset_id = changed.id and g.revoked_time is null offset 0
    ) as granted
    where changed.revoked_time is not null
  ) then
    raise check_violation using message = 'asset: revoked with something active on it';
  end if;
  if exists (
    select from (
      select id from changed where revoked_time is not null
      union all
      select id from (select id, customer_id from changed except select id, customer_id from before) as transferred
    ) as gone
    cross join lateral (
      select from asset_assignment a where a.asset_id = gone.id
      union all
      select from asset_lending l where l.asset_id = gone.id
      union all
      select from asset_lending l where l.lock_asset_id = gone.id
      offset 0
    ) as held
  ) then
    raise check_violation using message = 'asset: revoked or transferred while it is assigned or lent';
  end if;
  return null;
end $$;

create trigger check_updated after update on asset
  referencing old table as before new table as changed for each statement execute function check_assets_updated();

create function check_holdings() returns trigger language plpgsql set enable_seqscan = off as $$
declare
  column_name text;
  misheld boolean;
begin
  foreach column_name in array tg_argv loop
    execute format('select exists (
      select from changed left join lateral (
        select a.id from asset a where a.id = changed.%I and a.revoked_time is null offset 0
      ) as active on true where active.id is null
    )', column_name) into misheld;
    if misheld then
      raise foreign_key_violation using message = tg_table_name || ': its asset is not active';
    end if;
  end loop;
  return null;
end $$;

create trigger check_inserted after insert on asset_assignment
  referencing new table as changed for each statement execute function check_holdings('asset_id');
create trigger check_inserted after insert on asset_lending
  referencing new table as changed for each statement execute function check_holdings('asset_id', 'lock_asset_id');

-- A grant is of an order that bought, and lasts on an active asset only.
create function check_grants_inserted() returns trigger language plpgsql set enable_seqscan = off as $$
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
      select o.order_type, o.cause from license_order o where o.id = changed.license_order_id offset 0
    ) as bought on true
    where bought.order_type is distinct from 'new_buy' or bought.cause is not null
  ) then
    raise foreign_key_violation using message = 'asset_grant: its order is not a succeeded new_buy';
  end if;
  return null;
end $$;

create trigger check_inserted after insert on asset_grant
  referencing new table as changed for each statement execute function check_grants_inserted();

-- A grant is revoked with everything that its order put onto the asset.
create function check_grants_updated() returns trigger language plpgsql set enable_seqscan = off as $$
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

create trigger check_updated after update on asset_grant
  referencing new table as changed for each statement execute function check_grants_updated();

-- A merchandise or product is there because an order granted to its asset, and it is active only while that grant is,
-- so while the asset is. It stands inside a merchandise of the same asset and order, if in any, and is active only
-- while that one is.
create function check_merchandises_inserted() returns trigger language plpgsql set enable_seqscan = off as $$
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

create trigger check_inserted after insert on merchandise_instance
  referencing new table as changed for each statement execute function check_merchandises_inserted();

create function check_products_inserted() returns trigger language plpgsql set enable_seqscan = off as $$
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

create trigger check_inserted after insert on product_instance
  referencing new table as changed for each statement execute function check_products_inserted();

-- An asset keeps its number and its license type. What was bought onto it never moves: not to another asset, order or
-- merchandise. The argument lists the columns that never change.
create function check_stays() returns trigger language plpgsql as $$
declare
  moved boolean;
begin
  execute format('select exists (select %1$s from before except select %1$s from changed)', tg_argv[0]) into moved;
  if moved then
    raise check_violation using message = format('%s: changed one of %s', tg_table_name, tg_argv[0]);
  end if;
  return null;
end $$;

create trigger check_stays after update on asset
  referencing old table as before new table as changed
  for each statement execute function check_stays('id, asset_num, license_type');
create trigger check_stays after update on asset_grant
  referencing old table as before new table as changed
  for each statement execute function check_stays('asset_id, license_order_id');
create trigger check_stays after update on merchandise_instance
  referencing old table as before new table as changed
  for each statement execute function check_stays('id, asset_id, license_order_id, parent_id');
create trigger check_stays after update on product_instance
  referencing old table as before new table as changed
  for each statement execute function check_stays('id, asset_id, license_order_id, merchandise_id');

-- A merchandise is revoked with what is in it.
create function check_merchandises_updated() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  if exists (
    select from (select distinct asset_id from changed) as touched
    cross join lateral (
      select m.parent_id from merchandise_instance m
      where m.asset_id = touched.asset_id and m.revoked_time is null
      union all
      select p.merchandise_id from product_instance p
      where p.asset_id = touched.asset_id and p.revoked_time is null
      offset 0
    ) as active
    cross join lateral (
      select m.revoked_time from merchandise_instance m where m.id = active.parent_id offset 0
    ) as parent
    where parent.revoked_time is not null
  ) then
    raise check_violation using message = 'merchandise_instance: revoked with something active in it';
  end if;
  return null;
end $$;

create trigger check_updated after update on merchandise_instance
  referencing new table as changed for each statement execute function check_merchandises_updated();
