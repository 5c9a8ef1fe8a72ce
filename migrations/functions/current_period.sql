-- The period in which rows are stored now: the newest that has begun, or the one that ids have flowed into when those of
-- the one before were used up. Null while the tables have no partitions.
create or replace function current_period() returns integer language sql stable security definer
set search_path = public, pg_temp as $$
  select greatest(max(number), (select (last_value >> 30)::integer from batch_id)) from period having count(*) > 0
$$;
