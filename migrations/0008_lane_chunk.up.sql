-- The orders of a batch that belong to one lane. Pending while finished_time is null; the payload (JSON, an array of
-- [index in orderList, order]) is dropped when the orders have taken effect. The weight bounds what a drain takes.
create table lane_chunk (
  batch_id bigint not null references batch,
  lane smallint not null,
  order_count integer not null check (order_count > 0),
  weight integer not null check (weight >= order_count),
  payload text,
  accepted_time timestamptz not null default now(),
  finished_time timestamptz,
  succeeded integer,
  failed integer,
  primary key (batch_id, lane),
  check ((payload is null) = (finished_time is not null)),
  check ((succeeded is null) = (finished_time is null)),
  check ((failed is null) = (finished_time is null)),
  check (succeeded + failed = order_count)
);
-- No compression: the payload is written once, read once and dropped.
alter table lane_chunk alter column payload set storage external;
-- The pending chunks, in the order in which they take effect.
create index lane_chunk_pending on lane_chunk (lane, batch_id) where finished_time is null;
-- Every row changes soon after it was inserted: vacuum early, so that looking for pending chunks does not read dead
-- rows.
alter table lane_chunk set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
