-- A package that an order bought onto an asset, nested as it was sent.
create table merchandise_instance (
  id bigint primary key,
  asset_id bigint not null,
  license_order_id bigint not null,
  parent_id bigint references merchandise_instance,
  crm_product_id text not null,
  parent_crm_product_id text not null,
  merchandise_num text not null,
  merchandise_name text not null,
  parent_merchandise_num text not null,
  time_duration_expression text not null,
  created_time timestamptz not null default now(),
  updated_time timestamptz not null default now(),
  revoked_time timestamptz
);
create index merchandise_instance_asset on merchandise_instance (asset_id) where revoked_time is null;
