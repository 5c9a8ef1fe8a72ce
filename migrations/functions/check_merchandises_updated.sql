-- A merchandise is revoked together with what is in it.
create or replace function check_merchandises_updated() returns trigger language plpgsql set enable_seqscan = off as $$
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
