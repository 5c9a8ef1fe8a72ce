-- An asset that is taken from its holder is not lent.
create or replace function check_released() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  if exists (
    select from before cross join lateral (
      select from asset_lending l where l.asset_id = before.asset_id offset 0
    ) as lent
  ) then
    raise check_violation using message = 'asset_assignment: ended while the asset is lent';
  end if;
  return null;
end $$;
