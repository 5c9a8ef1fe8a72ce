-- A chunk cannot be finished in part any more: fails until such chunks are finished.
alter table lane_chunk
  drop constraint lane_chunk_pending_content, drop constraint lane_chunk_progress,
  drop constraint lane_chunk_finished, drop constraint lane_chunk_counts;
alter table lane_chunk
  alter column succeeded drop not null, alter column succeeded drop default,
  alter column failed drop not null, alter column failed drop default;
update lane_chunk set succeeded = null, failed = null where finished_time is null;
alter table lane_chunk
  add constraint lane_chunk_check1 check ((payload is null) = (finished_time is not null)),
  add constraint lane_chunk_check2 check ((succeeded is null) = (finished_time is null)),
  add constraint lane_chunk_check3 check ((failed is null) = (finished_time is null)),
  add constraint lane_chunk_check4 check (succeeded + failed = order_count);
