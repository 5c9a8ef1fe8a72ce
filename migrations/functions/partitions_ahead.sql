-- For how many periods after the current one all partitions are there.
create or replace function partitions_ahead() returns integer language plpgsql stable security definer
set search_path = public, pg_temp as $$
declare
  ahead integer := 0;
begin
  while (
    select bool_and(exists (
      select from pg_inherits
      where inhparent = name::regclass and inhrelid = to_regclass(partition_name(name, current_period() + ahead + 1))
        and not inhdetachpending
    )) from partitioned_tables()
  ) loop
    ahead := ahead + 1;
  end loop;
  return ahead;
end $$;
