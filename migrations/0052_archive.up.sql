-- What stays of batches and orders whose period is archived: enough to answer a repeat of a batch as before, to name a
-- purchase as a source, and for the history of an asset number. Filled when a period is archived, and never changed.
create table archived_batch (
  id bigint primary key,
  application_id bigint not null references application (id),
  channel_code text not null,
  channel_order_id text not null,
  sync_mode text not null check (sync_mode in ('sync', 'async')),
  digest bytea not null,
  -- As batch has it.
  -- squawk-ignore prefer-bigint-over-smallint
  digest_version smallint not null,
  request_id text,
  accepted_time timestamptz not null,
  completed_time timestamptz not null,
  succeeded integer not null check (succeeded >= 0),
  failed integer not null check (failed >= 0)
);
create trigger refuse_change before delete or update or truncate on archived_batch
  for each statement execute function refuse_change();

-- Orders that succeeded. What failed has done nothing, and is in the files of the archive only.
create table archived_order (
  id bigint primary key,
  finished_time timestamptz not null,
  src_license_order_id bigint,
  sequence integer not null,
  order_type text not null check (order_type in ('new_buy', 'delete_asset', 'delete_product')),
  customer_id text not null
);
create trigger refuse_change before delete or update or truncate on archived_order
  for each statement execute function refuse_change();

-- How far the archive of a period is. It goes on from its step, whatever ended the command.
create table period_archive (
  number integer primary key check (number >= 0),
  step text not null check (step in ('copying', 'detaching', 'writing', 'dropping', 'done')),
  directory text not null,
  started_time timestamptz not null default statement_timestamp(),
  -- When what asks for its batches began to be refused.
  archived_time timestamptz,
  -- When it did something the last time.
  changed_time timestamptz not null default statement_timestamp(),
  batches bigint,
  orders bigint,
  bytes bigint,
  check ((archived_time is null) = (step = 'copying')),
  check ((bytes is null) = (step in ('copying', 'detaching', 'writing')))
);
