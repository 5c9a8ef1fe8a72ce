-- A revoked row never changes: it stays on record as it was.
create or replace function check_revoked_stays() returns trigger language plpgsql as $$
begin
  if exists (select from before where revoked_time is not null) then
    raise check_violation using message = tg_table_name || ': a revoked row never changes';
  end if;
  return null;
end $$;
