-- The functions of triggers stand in functions/ as they are now, and the migrator applies them after the newest
-- migration. Who changes one adds a migration with the digest of them all, as below; a test says what it is.
--
-- functions 63b6d0ccd663f562

-- One function for merchandises and products, which had two that differed in the name of a column.
create function check_contents_inserted() returns trigger language plpgsql set enable_seqscan = off as $$
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

create or replace trigger check_inserted after insert on merchandise_instance
  referencing new table as changed for each statement execute function check_contents_inserted('parent_id');
create or replace trigger check_inserted after insert on product_instance
  referencing new table as changed for each statement execute function check_contents_inserted('merchandise_id');
drop function check_merchandises_inserted();
drop function check_products_inserted();
