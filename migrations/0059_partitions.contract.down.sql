-- Possible until the next period has begun: its rows have no place in the table of before.
do $$
begin
  if exists (select from period where number > 0) then
    raise object_not_in_prerequisite_state using message = 'a period has begun since: there is no way back to tables without partitions';
  end if;
end $$;

create function join_periods(parent text, key_column text, ids_each bigint) returns void language plpgsql as $$
declare
  first text := partition_name(parent, 0);
  id_sequence text := pg_get_serial_sequence(parent, key_column);
  next_id bigint;
  each record;
begin
  if id_sequence is not null then
    execute format('select last_value + is_called::integer from %s', id_sequence) into next_id;
  end if;
  execute format('alter table %I detach partition %I', parent, first);
  execute format('drop table %I', parent);
  execute format('alter table %I rename to %I', first, parent);
  for each in
    select relname from pg_index join pg_class on pg_class.oid = indexrelid where indrelid = parent::regclass
  loop
    execute format('alter index %I rename to %I', each.relname, replace(each.relname, first, parent));
  end loop;
  if id_sequence is not null then
    execute format('alter table %I alter column %I add generated always as identity (start with %s)',
      parent, key_column, next_id);
  end if;
  execute format('alter table %I add constraint %I check (%I < %L::bigint)', parent, parent || '_first_period', key_column, ids_each);
end $$;
select join_periods(name, key_column, ids_each) from partitioned_tables();
drop function join_periods(text, text, bigint);

alter table period disable trigger refuse_change;
delete from period;
alter table period enable trigger refuse_change;

drop trigger check_inserted on asset_transfer;
drop trigger check_inserted on failed_order;
drop trigger refuse_change on lane_chunk;
drop trigger check_inserted on lane_chunk;
drop trigger check_inserted on batch;
drop function check_transfers_inserted();
drop function check_failed_inserted();
drop function check_chunks_inserted();
drop function check_batch_keys();
alter table lane_chunk add constraint lane_chunk_batch_id_fkey foreign key (batch_id) references batch (id);
alter table failed_order add constraint failed_order_batch_id_lane_fkey
  foreign key (batch_id, lane) references lane_chunk (batch_id, lane);
alter table asset_transfer add constraint asset_transfer_license_order_id_fkey
  foreign key (license_order_id) references license_order (id);
alter table batch add constraint batch_application_id_channel_code_channel_order_id_key
  unique (application_id, channel_code, channel_order_id);

-- Keeps the key of a batch that a process of an earlier release inserts: before the batch itself, as this release does, so
-- that the two wait for each other and do not deadlock. A batch from before the keys has none yet while they are filled in.
create function keep_batch_key() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  if not exists (
    select from batch b where b.application_id = new.application_id and b.channel_code = new.channel_code
      and b.channel_order_id = new.channel_order_id
  ) then
    insert into batch_key (application_id, channel_code, channel_order_id, batch_id)
    values (new.application_id, new.channel_code, new.channel_order_id, new.id) on conflict do nothing;
  end if;
  return new;
end $$;

create trigger keep_batch_key before insert on batch for each row execute function keep_batch_key();
create table batch_key_fill (
  only_row boolean primary key default true check (only_row),
  done_id bigint not null,
  end_id bigint not null
);
insert into batch_key_fill (done_id, end_id) select last_value, last_value from batch_id;
