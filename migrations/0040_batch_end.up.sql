-- The end of a batch: when its last order got its outcome, and how many orders succeeded and failed. Null until then.
-- endBatches writes it, once; what happens at the end of a batch starts from there.
--
-- Adding the columns takes no time. Filling them rewrites every row of batch (not the arrays that PostgreSQL keeps beside
-- it) and reads all of lane_chunk; the constraints read batch once more. Nobody else can use batch until the commit: a
-- minute for 500,000 batches of 100 orders on a busy machine of two cores.
alter table batch
  add column completed_time timestamptz,
  add column succeeded integer,
  add column failed integer;

update batch
set completed_time = chunks.completed_time, succeeded = chunks.succeeded, failed = chunks.failed
from (
  select batch_id, max(finished_time) as completed_time, sum(succeeded) as succeeded, sum(failed) as failed
  from lane_chunk group by batch_id having bool_and(finished_time is not null)
) as chunks
where batch.id = chunks.batch_id;

alter table batch
  -- The statement before has rewritten the table in this transaction: another look costs little beside it.
  -- squawk-ignore constraint-missing-not-valid
  add constraint batch_end_whole check (num_nonnulls(completed_time, succeeded, failed) in (0, 3)),
  -- squawk-ignore constraint-missing-not-valid
  add constraint batch_end_counts check (succeeded >= 0 and failed >= 0 and succeeded + failed = cardinality(sequences));

-- The open batches. For the sweep, which ends those that a crash left open.
-- Nobody can use the table before the commit anyway.
-- squawk-ignore require-concurrent-index-creation
create index batch_open on batch (id) where completed_time is null;

-- Nothing else of a batch ever changes. A statement that names none of these columns does not fire the trigger.
create trigger refuse_change before delete or truncate or update of id, application_id, channel_code, channel_order_id,
  sync_mode, digest, digest_version, sequences, customer_ids, order_types, accepted_time, request_id on batch
  for each statement execute function refuse_change();

-- A batch ends when all of its chunks are finished, with their counts. An end is for good, unless a chunk is pending
-- again: the command that puts failed orders back has reopened it. One error is a serialization failure, because the
-- transaction that ended the batch did not see the one that reopened it: run again, it does.
create function check_batch_ends() returns trigger language plpgsql set enable_seqscan = off as $$
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
create trigger check_ends after update on batch
  referencing old table as before new table as changed for each statement execute function check_batch_ends();
