-- A batch ends when all of its chunks are finished, with their counts. An end is for good, unless a chunk is pending
-- again: the command that puts failed orders back has reopened the batch. The first error is a serialization failure,
-- because the transaction that ended the batch did not see the one that reopened it: when it runs again, it does.
create or replace function check_batch_ends() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  if exists (
    select from (
      select id, completed_time, succeeded, failed from changed where completed_time is not null
      except select id, completed_time, succeeded, failed from before
    ) as ended
    cross join lateral (
      select bool_and(c.finished_time is not null) as finished, sum(c.succeeded) as succeeded, sum(c.failed) as failed
      from lane_chunk c where c.batch_id = ended.id offset 0
    ) as chunks
    where chunks.finished is not true
      or (chunks.succeeded, chunks.failed) is distinct from (ended.succeeded::bigint, ended.failed::bigint)
  ) then
    raise serialization_failure using message = 'batch: ended before its chunks';
  end if;
  if exists (
    select from (
      select id, completed_time, succeeded, failed from before where completed_time is not null
      except select id, completed_time, succeeded, failed from changed
    ) as reopened
    left join lateral (
      select c.batch_id from lane_chunk c where c.batch_id = reopened.id and c.finished_time is null limit 1
    ) as pending on true
    where pending.batch_id is null
  ) then
    raise restrict_violation using message = 'batch: an end is for good';
  end if;
  return null;
end $$;
