-- A finished order: succeeded if cause is null. A pending one has no row yet.
create table license_order (
  id bigint primary key,
  order_type text not null check (order_type in ('new_buy', 'delete_asset', 'delete_product')),
  customer_id text not null,
  cause text,
  message text,
  assets integer not null check (assets >= 0),
  products integer not null check (products >= 0),
  finished_time timestamptz not null default statement_timestamp(),
  check ((cause is null) = (message is null)),
  check (cause is null or (assets = 0 and products = 0))
);
