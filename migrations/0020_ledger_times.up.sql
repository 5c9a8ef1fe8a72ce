-- Times of the ledger are those of the writing statement. A transaction begins before it gets its locks, so its own
-- time could be earlier than that of a row which another transaction changed while this one waited. Old rows keep their
-- times.
alter table asset
  alter column created_time set default statement_timestamp(),
  alter column updated_time set default statement_timestamp(),
  add constraint asset_times check (updated_time >= created_time and revoked_time >= created_time) not valid;
alter table asset_grant
  alter column created_time set default statement_timestamp(),
  add constraint asset_grant_times check (revoked_time >= created_time) not valid;
alter table merchandise_instance
  alter column created_time set default statement_timestamp(),
  alter column updated_time set default statement_timestamp(),
  add constraint merchandise_instance_times
    check (updated_time >= created_time and revoked_time >= created_time) not valid;
alter table product_instance
  alter column created_time set default statement_timestamp(),
  alter column updated_time set default statement_timestamp(),
  add constraint product_instance_times
    check (updated_time >= created_time and revoked_time >= created_time) not valid,
  add constraint product_instance_period check (limit_start_date <= limit_end_date) not valid;
alter table lane_chunk add constraint lane_chunk_times check (finished_time >= accepted_time) not valid;
