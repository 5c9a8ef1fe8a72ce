create or replace function missing_partitions() returns setof text language sql stable security definer
set search_path = public, pg_temp as $$
  select partition_name(name, number)
  from generate_series(0, current_period()) as number cross join partitioned_tables()
  where not exists (
    select from pg_inherits
    where inhparent = name::regclass and inhrelid = to_regclass(partition_name(name, number)) and not inhdetachpending
  )
  order by number, name
$$;
