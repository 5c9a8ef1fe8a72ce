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
