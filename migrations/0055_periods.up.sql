-- What partitions need: the record of periods, the functions that make partitions and begin a period, and a constraint on
-- each table that is going to be the partition of all that was before. It is checked for rows from now on only; the next
-- migration looks at those that are there. A period has the ids of a billion batches: 2^30, and as many times 2^13 orders.
create table period (
  number integer primary key check (number >= 0),
  began_time timestamptz not null default statement_timestamp()
);
create trigger refuse_change before update or delete or truncate on period
  for each statement execute function refuse_change();

-- All locks first, within the time that the migrator gives for one.
do $$
declare
  given text := current_setting('lock_timeout');
  ends timestamptz := clock_timestamp() + given::interval;
  needed record;
begin
  for needed in select * from (values
    ('batch', 'access exclusive'),
    ('lane_chunk', 'access exclusive'),
    ('license_order', 'access exclusive'),
    ('event', 'access exclusive'),
    ('member_audit', 'access exclusive'),
    ('operator_record', 'access exclusive')
  ) as lock (name, mode) loop
    if given <> '0' then
      perform set_config('lock_timeout', ceil(greatest(extract(epoch from ends - clock_timestamp()) * 1000, 1))::text, true);
    end if;
    execute format('lock table %I in %s mode', needed.name, needed.mode);
  end loop;
  perform set_config('lock_timeout', given, true);
end $$;

alter table batch add constraint batch_first_period check (id < '1073741824'::bigint) not valid;
alter table lane_chunk add constraint lane_chunk_first_period check (batch_id < '1073741824'::bigint) not valid;
alter table license_order add constraint license_order_first_period check (id < '8796093022208'::bigint) not valid;
alter table event add constraint event_first_period check (batch_id < '1073741824'::bigint) not valid;
alter table member_audit add constraint member_audit_first_period check (id < '8796093022208'::bigint) not valid;
alter table operator_record add constraint operator_record_first_period check (id < '8796093022208'::bigint) not valid;

-- The tables that have a partition for each period: by which column, how many ids of it belong to a period, the sequence
-- that gives them out, and what a partition needs besides what it has from its table.
create function partitioned_tables()
returns table (name text, key_column text, ids_each bigint, sequence text, made_with text) language sql immutable as $$
  values
    ('batch', 'id', 1::bigint << 30, 'batch_id', null),
    ('lane_chunk', 'batch_id', 1::bigint << 30, 'batch_id',
      'alter table %I set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000)'),
    ('license_order', 'id', 1::bigint << 43, 'batch_id', null),
    ('event', 'batch_id', 1::bigint << 30, 'batch_id', 'alter table %I add primary key (application_id, position)'),
    ('member_audit', 'id', 1::bigint << 43, 'member_audit_id_seq', null),
    ('operator_record', 'id', 1::bigint << 43, 'operator_record_id_seq', null)
$$;

-- What the partition of a table for a period is called.
create function partition_name(table_name text, number integer) returns text language sql immutable as $$
  select format('%s_p%s', table_name, lpad(number::text, 4, '0'))
$$;

-- The period in which rows are stored now: the newest that has begun, or the one that ids have flowed into when those of
-- the one before were used up. Null while the tables have no partitions.
create function current_period() returns integer language sql stable security definer
set search_path = public, pg_temp as $$
  select greatest(max(number), (select (last_value >> 30)::integer from batch_id)) from period having count(*) > 0
$$;

-- Makes the partitions of the next two periods that are not there yet, and returns how many it made. It makes none of a
-- period that has begun: one that is missing there was taken away with its rows, and an empty one would hide that.
-- A partition is made beside its table and attached then, which keeps nobody from reading and writing. It runs with the
-- rights of its owner, so that a worker needs none to change tables.
create function make_partitions() returns integer language plpgsql security definer
set search_path = public, pg_temp set lock_timeout = '1s' as $$
declare
  current_number integer := current_period();
  number integer;
  parent record;
  each record;
  part text;
  made integer := 0;
begin
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

-- Begins the next period, if `after` is still the newest, and returns its number; null if somebody else has begun one.
-- It moves the sequences on, never back: rows go by their ids, so no row depends on a clock.
create function begin_period(after integer) returns integer language plpgsql security definer
set search_path = public, pg_temp set lock_timeout = '1s' as $$
declare
  next_number integer;
  missing text;
  each record;
begin
  perform pg_advisory_xact_lock(hashtext('lockstep partitions'));
  if (select max(number) from period) is distinct from after then
    return null;
  end if;
  next_number := greatest(after + 1, current_period());
  select string_agg(partition_name(name, next_number), ', ') into missing from partitioned_tables()
  where not exists (
    select from pg_inherits
    where inhparent = name::regclass and inhrelid = to_regclass(partition_name(name, next_number)) and not inhdetachpending
  );
  if missing is not null then
    raise object_not_in_prerequisite_state using message = format('period %s cannot begin without %s', next_number, missing);
  end if;
  for each in
    select distinct on (t.sequence) t.sequence, next_number * t.ids_each - 1 as last_before, s.last_value
    from partitioned_tables() t join pg_sequences s on s.schemaname = 'public' and s.sequencename = t.sequence
    order by t.sequence, t.ids_each
  loop
    if coalesce(each.last_value, 0) < each.last_before then
      perform setval(each.sequence::regclass, each.last_before);
    end if;
  end loop;
  insert into period (number) select * from generate_series(after + 1, next_number);
  return next_number;
end $$;

-- The partitions of periods that have begun which somebody has dropped or detached. Those of an archive are where they
-- belong. A table that is not there at all is no matter of partitions: whoever needs it says so.
create function missing_partitions() returns setof text language sql stable security definer
set search_path = public, pg_temp as $$
  select partition_name(name, number)
  from generate_series(0, current_period()) as begun (number) cross join partitioned_tables()
  where to_regclass(name) is not null and not exists (
    select from pg_inherits
    where inhparent = to_regclass(name) and inhrelid = to_regclass(partition_name(name, number)) and not inhdetachpending
  ) and not exists (select from period_archive a where a.number = begun.number and a.archived_time is not null)
  order by number, name
$$;


-- For how many periods after the current one all partitions are there.
create function partitions_ahead() returns integer language plpgsql stable security definer
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
