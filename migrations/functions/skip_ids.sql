-- Moves all ids, asset numbers and events' positions on, so that what was given out and is not known here is not given out
-- again. Each call moves them on once more.
create or replace function skip_ids(draws bigint, asset_numbers bigint, events bigint) returns void language plpgsql as $$
begin
  perform setval(format('%I.%I', schemaname, sequencename)::regclass,
    least(coalesce(last_value, start_value) + increment_by * draws, max_value))
  from pg_sequences where schemaname = 'public';
  update asset_number set handed_out = least(handed_out + asset_numbers, 999999999);
  -- A reader goes on from the last event that it saw: new ones must come behind that.
  update event_counter set last_position = last_position + events;
end $$;
