-- From here on six tables have a partition for each period; see "Periods" in docs/architecture.md. What a table was until now
-- becomes the partition of period 0. Only the catalog changes: the constraints prove which ids are in it, and the indexes
-- of the new table take over those that are there. Processes of earlier releases cannot work with this: they count on the
-- unique key of batch.
--
-- All locks are taken first, those of what is referenced before those of what references it, as calls do, and then in the
-- order in which drains take them. They come within the time that the migrator gives for one: whoever needs one of these
-- tables waits for as long as this waits for the others. The rest takes some milliseconds.
-- squawk-ignore-file

do $$
declare
  given text := current_setting('lock_timeout');
  ends timestamptz := clock_timestamp() + given::interval;
  needed record;
begin
  for needed in select * from (values
    ('application', 'share row exclusive'),
    ('enterprise', 'share row exclusive'),
    ('member', 'share row exclusive'),
    ('operator', 'share row exclusive'),
    ('batch', 'access exclusive'),
    ('lane_chunk', 'access exclusive'),
    ('license_order', 'access exclusive'),
    ('failed_order', 'access exclusive'),
    ('asset_transfer', 'access exclusive'),
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

drop trigger keep_batch_key on batch;
drop function keep_batch_key();
drop table batch_key_fill;
alter table batch drop constraint batch_application_id_channel_code_channel_order_id_key;

-- A foreign key would keep partitions from being detached; triggers hold what these held.
alter table lane_chunk drop constraint lane_chunk_batch_id_fkey;
alter table failed_order drop constraint failed_order_batch_id_lane_fkey;
alter table asset_transfer drop constraint asset_transfer_license_order_id_fkey;

-- A batch has its key, which is taken once over all periods.
create or replace function check_batch_keys() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  if exists (
    select from changed
    left join lateral (
      select k.batch_id from batch_key k
      where k.application_id = changed.application_id and k.channel_code = changed.channel_code
        and k.channel_order_id = changed.channel_order_id offset 0
    ) as key on true
    where key.batch_id is distinct from changed.id
  ) then
    raise unique_violation using message = 'batch: another one has its key', constraint = 'batch_key_pkey';
  end if;
  return null;
end $$;

-- A chunk is of a batch.
create or replace function check_chunks_inserted() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  if exists (
    select from (select distinct batch_id from changed) as chunk
    left join lateral (select b.id from batch b where b.id = chunk.batch_id offset 0) as sent on true
    where sent.id is null
  ) then
    raise foreign_key_violation using message = 'lane_chunk: of no batch';
  end if;
  return null;
end $$;

-- What is kept of a failed order is of a chunk.
create or replace function check_failed_inserted() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  if exists (
    select from changed
    left join lateral (
      select c.batch_id from lane_chunk c where c.batch_id = changed.batch_id and c.lane = changed.lane offset 0
    ) as chunk on true
    where chunk.batch_id is null
  ) then
    raise foreign_key_violation using message = 'failed_order: of no chunk';
  end if;
  return null;
end $$;

-- A transfer names an order that has its outcome.
create or replace function check_transfers_inserted() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  if exists (
    select from changed
    left join lateral (
      select o.id from license_order o where o.id = changed.license_order_id offset 0
    ) as finished on true
    where finished.id is null
  ) then
    raise foreign_key_violation using message = 'asset_transfer: by no order';
  end if;
  return null;
end $$;

create trigger check_inserted after insert on batch referencing new table as changed
  for each statement execute function check_batch_keys();
create trigger check_inserted after insert on lane_chunk referencing new table as changed
  for each statement execute function check_chunks_inserted();
create trigger refuse_change before delete or truncate on lane_chunk
  for each statement execute function refuse_change();
create trigger check_inserted after insert on failed_order referencing new table as changed
  for each statement execute function check_failed_inserted();
create trigger check_inserted after insert on asset_transfer referencing new table as changed
  for each statement execute function check_transfers_inserted();

-- Puts a new, partitioned table into the place of one, which becomes its first partition.
create function split_by_period(parent text, key_column text, ids_each bigint) returns void language plpgsql as $$
declare
  first text := partition_name(parent, 0);
  owner text := (select pg_get_userbyid(relowner) from pg_class where oid = parent::regclass);
  id_sequence text := pg_get_serial_sequence(parent, key_column);
  next_id bigint;
  -- What the new table has, as SQL that names it as the old one was named. A key that does not have the column by which rows
  -- are divided stays a matter of each partition.
  definitions text[] := array(
    select format('alter table %I add constraint %I %s', parent, conname, pg_get_constraintdef(oid))
    from pg_constraint
    where conrelid = parent::regclass and (contype = 'f' or contype = 'p' and exists (
      select from pg_attribute where attrelid = conrelid and attname = key_column and attnum = any (conkey)
    ))
    union all
    select pg_get_indexdef(indexrelid) from pg_index
    where indrelid = parent::regclass and not exists (select from pg_constraint where conindid = indexrelid)
    union all
    select pg_get_triggerdef(oid) from pg_trigger where tgrelid = parent::regclass and not tgisinternal
  );
  -- Constraints that hold for new rows only do so in the new table too.
  unproven text[] := array(
    select format('alter table %I drop constraint %I, add constraint %I %s', parent, conname, conname, pg_get_constraintdef(oid))
    from pg_constraint where conrelid = parent::regclass and contype = 'c' and not convalidated
  );
  each record;
  definition text;
begin
  if id_sequence is not null then
    execute format('select last_value + is_called::integer from %s', id_sequence) into next_id;
  end if;
  execute format('alter table %I rename to %I', parent, first);
  for each in
    select relname from pg_index join pg_class on pg_class.oid = indexrelid where indrelid = first::regclass
  loop
    execute format('alter index %I rename to %I', each.relname, replace(each.relname, parent, first));
  end loop;
  execute format('create table %I (like %I including defaults including constraints including storage) partition by range (%I)',
    parent, first, key_column);
  execute format('alter table %I drop constraint %I', parent, parent || '_first_period');
  foreach definition in array unproven || definitions loop
    execute definition;
  end loop;
  if id_sequence is not null then
    execute format('alter table %I alter column %I drop identity', first, key_column);
    execute format('alter table %I alter column %I add generated always as identity (start with %s)',
      parent, key_column, next_id);
  end if;
  execute format('alter table %I owner to %I', parent, owner);
  execute format('alter table %I attach partition %I for values from (minvalue) to (%s)', parent, first, ids_each);
  execute format('alter table %I drop constraint %I', first, parent || '_first_period');
end $$;

select split_by_period(name, key_column, ids_each) from partitioned_tables();
drop function split_by_period(text, text, bigint);

insert into period (number) values (0);
select make_partitions();
