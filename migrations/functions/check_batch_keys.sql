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
