-- The event feed: how batches ended. endBatches writes an end into unnumbered_event, in the transaction that ends the
-- batch; a short statement of its own then moves it into event, where readers see it, with the next position. So positions
-- appear in their order, however long the transactions take that end batches: a reader that goes on from the last position
-- that it saw misses none.
--
-- Adding the column takes no time. Batches that ended before have no event.

-- When an end was taken back, because an order of the batch was put back. Null: never. The end after it is another event.
alter table batch add column reopened_time timestamptz;

create table unnumbered_event (
  id bigint generated always as identity primary key,
  application_id bigint not null,
  batch_id bigint not null,
  type text not null,
  completed_time timestamptz not null,
  succeeded integer not null,
  failed integer not null,
  cancelled integer not null,
  check (type in ('batch.completed', 'batch.retried')),
  check (succeeded >= 0 and failed >= 0 and cancelled between 0 and failed)
);

-- What the batch was at that end: its row may change, when it is reopened. Clients know an event by its position. Look
-- events up by application and position: there is no index by position alone.
create table event (
  application_id bigint not null,
  position bigint not null,
  batch_id bigint not null,
  type text not null,
  completed_time timestamptz not null,
  succeeded integer not null,
  failed integer not null,
  cancelled integer not null,
  created_time timestamptz not null default statement_timestamp(),
  primary key (application_id, position),
  check (type in ('batch.completed', 'batch.retried')),
  check (succeeded >= 0 and failed >= 0 and cancelled between 0 and failed)
);
-- A batch is completed once.
create unique index event_completed_batch on event (batch_id) where type = 'batch.completed';
-- For the clean-up.
create index event_created on event (created_time);
-- An event never changes. The clean-up deletes it.
create trigger refuse_change before truncate or update of application_id, position, batch_id, type, completed_time,
  succeeded, failed, cancelled on event
  for each statement execute function refuse_change();

-- The last position given. Whoever numbers events holds the row until the commit, so one after the other does.
create table event_counter (
  only_row boolean primary key default true check (only_row),
  last_position bigint not null
);
insert into event_counter (last_position) values (0);
