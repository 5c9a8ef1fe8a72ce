-- functions c5e7e9fbc3123589
-- The servers and timelines that have given out ids.
create table promotion (
  system_identifier text not null,
  timeline integer not null,
  noted_time timestamptz not null default statement_timestamp(),
  constraint promotion_pkey primary key (system_identifier, timeline)
);
-- Whoever migrates writes here already.
insert into promotion (system_identifier, timeline)
select system_identifier::text, ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::integer
from pg_control_system();
-- How many draws were skipped altogether: skip_ids moves it on as every other sequence. Periods begin behind as many ids.
create sequence skipped_draws minvalue 0 start with 0;
create or replace function skip_ids(draws bigint, asset_numbers bigint, events bigint) returns void language plpgsql as $$
begin
  perform setval(format('%I.%I', schemaname, sequencename)::regclass,
    least(coalesce(last_value, start_value) + increment_by * draws, max_value))
  from pg_sequences where schemaname = 'public';
  update asset_number set handed_out = least(handed_out + asset_numbers, 999999999);
  -- A reader goes on from the last event that it saw: new ones must come behind that.
  update event_counter set last_position = last_position + events;
end $$;
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
