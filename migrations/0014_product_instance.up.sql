-- A product that an order bought onto an asset, inside a merchandise or not. Customer, channel and asset number are
-- those of the asset and of the order's batch. `details` holds the fields that no rule reads (features, time unit,
-- passwords).
create table product_instance (
  id bigint primary key,
  asset_id bigint not null,
  license_order_id bigint not null,
  merchandise_id bigint references merchandise_instance,
  crm_product_id text not null,
  product_uri text not null,
  product_name text not null,
  limit_start_date bigint,
  limit_end_date bigint,
  limit_concurrent integer not null check (limit_concurrent >= 0),
  src_license_order_id bigint,
  details jsonb not null,
  created_time timestamptz not null default now(),
  updated_time timestamptz not null default now(),
  revoked_time timestamptz
);
create index product_instance_asset on product_instance (asset_id) where revoked_time is null;
