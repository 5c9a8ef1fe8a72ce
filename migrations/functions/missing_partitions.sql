-- after 0060_missing_at_once.contract
-- The partitions of periods that have begun which somebody has dropped or detached. Those of an archive are where they
-- belong. A table that is not there at all is no matter of partitions: whoever needs it says so. All are compared at once:
-- looked up one by one, those of ten years took a tenth of a second.
create or replace function missing_partitions() returns setof text language sql stable security definer
set search_path = public, pg_temp as $$
  select partition_name(name, number) from (
    select name, number from partitioned_tables() cross join generate_series(0, current_period()) as begun (number)
    where to_regclass(name) is not null
    except
    select name, number from partitioned_tables() cross join period_archive where archived_time is not null
    except
    select name, right(child.relname, 4)::integer from partitioned_tables()
    join pg_inherits on inhparent = to_regclass(name) and not inhdetachpending
    join pg_class as child on child.oid = inhrelid
    where child.relname ~ '_p[0-9]{4}$' and child.relname = name || right(child.relname, 6)
  ) as missing order by number, name
$$;
