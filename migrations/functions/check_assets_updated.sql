-- An asset is revoked only when no grant to it lasts, so when nothing on it is active. One that is revoked, gets
-- another customer, or becomes a borrowed lock or stops being one, is neither assigned nor lent, and nothing is lent
-- into it.
create or replace function check_assets_updated() returns trigger language plpgsql set enable_seqscan = off as $$
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
      select id from (
        select id, customer_id, borrowed_usb_key from changed except select id, customer_id, borrowed_usb_key from before
      ) as moved
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
    raise check_violation using message = 'asset: revoked or moved while it is assigned or lent';
  end if;
  return null;
end $$;
