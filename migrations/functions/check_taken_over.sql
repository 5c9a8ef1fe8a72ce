-- Only an order that transferred an asset takes over what is on it.
create or replace function check_taken_over() returns trigger language plpgsql set enable_seqscan = off as $$
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
