-- An employee who is deleted holds nothing.
create or replace function check_members_updated() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  if exists (
    select from changed cross join lateral (
      select from asset_assignment h where h.member_id = changed.id offset 0
    ) as held
    where changed.deleted_time is not null
  ) then
    raise check_violation using message = 'member: deleted while it holds assets';
  end if;
  return null;
end $$;
