-- What the partition of a table for a period is called.
create or replace function partition_name(table_name text, number integer) returns text language sql immutable as $$
  select format('%s_p%s', table_name, lpad(number::text, 4, '0'))
$$;
