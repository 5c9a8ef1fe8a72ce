-- Makes the partitions of the next two periods that are not there yet, and returns how many it made. It makes none of a
-- period that has begun: one that is missing there was taken away with its rows, and an empty one would hide that.
-- A partition is made beside its table and attached then, which keeps nobody from reading and writing that table. Whoever
-- writes to application, enterprise, member or operator, to which it gets foreign keys, waits until it is done; it gives up
-- after waiting a second itself. It runs with the rights of its owner, so that a worker needs none to change tables.
create or replace function make_partitions() returns integer language plpgsql security definer
set search_path = public, pg_temp set lock_timeout = '1s' as $$
declare
  current_number integer := current_period();
  number integer;
  parent record;
  each record;
  part text;
  made integer := 0;
begin
  -- Whoever may not store batches may not do this either, though everybody may call functions.
  if not has_table_privilege(coalesce(nullif(current_setting('role'), 'none'), session_user), 'batch', 'insert') then
    raise insufficient_privilege using message = 'make_partitions is for roles that may insert into batch';
  end if;
  if current_number is null then
    return 0;
  end if;
  perform pg_advisory_xact_lock(hashtext('lockstep partitions'));
  for number in current_number + 1 .. current_number + 2 loop
    for parent in select * from partitioned_tables() loop
      part := partition_name(parent.name, number);
      continue when exists (
        select from pg_inherits where inhparent = parent.name::regclass and inhrelid = to_regclass(part) and not inhdetachpending
      );
      execute format('create table %I (like %I including defaults including constraints including storage)', part, parent.name);
      for each in
        select format('alter table %I add constraint %I %s', part, replace(conname, parent.name, part), pg_get_constraintdef(oid)) as text
        from pg_constraint where conrelid = parent.name::regclass and contype in ('p', 'u')
        union all
        select regexp_replace(pg_get_indexdef(indexrelid), '^(CREATE (?:UNIQUE )?INDEX) \S+ ON (?:ONLY )?\S+',
          format('\1 %I ON %I', replace(relname, parent.name, part), part))
        from pg_index join pg_class on pg_class.oid = indexrelid
        where indrelid = parent.name::regclass and not exists (select from pg_constraint where conindid = indexrelid)
        union all
        select regexp_replace(pg_get_triggerdef(oid), ' ON \S+ ', format(' ON %I ', part))
        from pg_trigger where tgrelid = parent.name::regclass and not tgisinternal
      loop
        execute each.text;
      end loop;
      if parent.made_with is not null then
        execute format(parent.made_with, part);
      end if;
      execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent.name, part,
        number * parent.ids_each, (number + 1) * parent.ids_each);
      made := made + 1;
    end loop;
  end loop;
  return made;
end $$;
