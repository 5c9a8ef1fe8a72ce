create or replace function missing_partitions() returns setof text language sql stable security definer
set search_path = public, pg_temp as $$
  select partition_name(name, number)
  from generate_series(0, current_period()) as begun (number) cross join partitioned_tables()
  where to_regclass(name) is not null and not exists (
    select from pg_inherits
    where inhparent = to_regclass(name) and inhrelid = to_regclass(partition_name(name, number)) and not inhdetachpending
  ) and not exists (select from period_archive a where a.number = begun.number and a.archived_time is not null)
  order by number, name
$$;
