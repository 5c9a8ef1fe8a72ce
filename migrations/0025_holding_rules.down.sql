drop trigger check_updated on member;
drop function check_members_updated();
drop trigger refuse_change on asset_lending;
drop trigger refuse_change on asset_assignment;
drop trigger check_released on asset_assignment;
drop function check_released();
drop trigger check_lendings on asset_lending;
drop function check_lendings();
drop trigger check_assignments on asset_assignment;
drop function check_assignments();

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
