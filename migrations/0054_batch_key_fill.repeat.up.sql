-- Fills in the keys of batches from before the trigger, some at a time, in the order of their ids.
with walked as materialized (
  select id, application_id, channel_code, channel_order_id from batch
  where id > (select done_id from batch_key_fill) and id <= (select end_id from batch_key_fill)
  order by id limit 5000
), kept as (
  insert into batch_key (application_id, channel_code, channel_order_id, batch_id)
  select application_id, channel_code, channel_order_id, id from walked
  order by application_id, channel_code, channel_order_id
  on conflict do nothing
)
update batch_key_fill set done_id = (select max(id) from walked) where exists (select from walked);
