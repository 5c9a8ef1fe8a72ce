-- A chunk may be finished in part: succeeded and failed count the orders that have their outcome so far, and the
-- payload holds the others. It is pending until all have one.
alter table lane_chunk
  drop constraint lane_chunk_check1, drop constraint lane_chunk_check2,
  drop constraint lane_chunk_check3, drop constraint lane_chunk_check4;
update lane_chunk set succeeded = 0, failed = 0 where finished_time is null;
alter table lane_chunk
  alter column succeeded set default 0, alter column succeeded set not null,
  alter column failed set default 0, alter column failed set not null,
  add constraint lane_chunk_pending_content check ((payload is null) = (finished_time is not null)),
  add constraint lane_chunk_progress check (succeeded >= 0 and failed >= 0),
  add constraint lane_chunk_finished check ((succeeded + failed = order_count) = (finished_time is not null)),
  add constraint lane_chunk_counts check (succeeded + failed <= order_count);
