-- An accepted O5 call (rules 6.1). It never changes: its chunks and orders say what became of it.
--
-- The accepting statement draws the id, so ids are the acceptance order too: a call that begins after another was
-- answered has the higher id. licenseOrderId = id * 8192 + index in orderList.
create sequence batch_id;
create table batch (
  id bigint primary key check (id between 1 and 1099511627775),
  application_id bigint not null references application,
  channel_code text not null,
  channel_order_id text not null,
  sync_mode text not null check (sync_mode in ('sync', 'async')),
  digest bytea not null,
  sequences integer[] not null,
  customer_ids text[] not null,
  order_types text[] not null,
  accepted_time timestamptz not null default now(),
  unique (application_id, channel_code, channel_order_id),
  check (cardinality(sequences) between 1 and 8192),
  check (cardinality(sequences) = cardinality(customer_ids) and cardinality(sequences) = cardinality(order_types))
);
