alter table asset
  alter column created_time set default now(), alter column updated_time set default now(),
  drop constraint asset_times;
alter table asset_grant
  alter column created_time set default now(),
  drop constraint asset_grant_times;
alter table merchandise_instance
  alter column created_time set default now(), alter column updated_time set default now(),
  drop constraint merchandise_instance_times;
alter table product_instance
  alter column created_time set default now(), alter column updated_time set default now(),
  drop constraint product_instance_times, drop constraint product_instance_period;
alter table lane_chunk drop constraint lane_chunk_times;
