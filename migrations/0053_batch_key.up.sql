-- The keys of batches, narrow and of all times: a key is taken for ever, also when its batch lies in another partition or in
-- an archive. While processes of the release before work, a trigger keeps the keys of what they accept; this release inserts
-- a key before its batch. The keys of batches from before are filled in by the next migration, up to the last id that may
-- have been drawn without the trigger.
create table batch_key (
  application_id bigint not null,
  channel_code text not null,
  channel_order_id text not null,
  batch_id bigint not null,
  primary key (application_id, channel_code, channel_order_id)
);
create trigger refuse_change before update or delete or truncate on batch_key
  for each statement execute function refuse_change();

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

-- How far the keys of batches from before the trigger are filled in, and where that ends.
create table batch_key_fill (
  only_row boolean primary key default true check (only_row),
  done_id bigint not null,
  end_id bigint not null
);
insert into batch_key_fill (done_id, end_id) select 0, last_value from batch_id;
