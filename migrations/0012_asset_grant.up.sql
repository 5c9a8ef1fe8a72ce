-- An order granted to an asset. The grant lasts until a delete_asset names the order or the asset is revoked.
create table asset_grant (
  asset_id bigint not null,
  license_order_id bigint not null,
  created_time timestamptz not null default now(),
  revoked_time timestamptz,
  primary key (asset_id, license_order_id)
);
