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
