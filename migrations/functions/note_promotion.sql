-- Notes which server this is, and on which timeline. If others were noted before and this one was not, a standby was promoted
-- or the data were copied: what the former server has given out last may be missing here, so ids are moved on. Whoever
-- connects first calls this before anything is written; others wait for that. It runs as the owner, because the processes' own
-- role may not move sequences; it does nothing unless the server really is another one.
create or replace function note_promotion() returns boolean language plpgsql security definer
  set search_path = public, pg_temp as $$
begin
  insert into promotion (system_identifier, timeline)
  select system_identifier::text, ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::integer
  from pg_control_system()
  on conflict do nothing;
  if not found or (select count(*) from promotion) = 1 then
    return false;
  end if;
  -- As many batches as an hour of the fastest service takes, as many asset numbers as are asked for in days.
  perform skip_ids(16777216, 1000000, 16777216);
  return true;
end $$;
