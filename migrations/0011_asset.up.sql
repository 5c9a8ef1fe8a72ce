-- An asset: active until revoked_time. A revoked one stays on record, and its number may be bought again.
create table asset (
  id bigint primary key,
  asset_num text not null,
  customer_id bigint not null,
  license_type text not null,
  limit_start_date bigint,
  limit_end_date bigint,
  borrowed_usb_key boolean not null,
  extends jsonb not null check (jsonb_typeof(extends) = 'object'),
  created_time timestamptz not null default now(),
  updated_time timestamptz not null default now(),
  revoked_time timestamptz
);
create unique index asset_active_number on asset (asset_num) where revoked_time is null;
create index asset_customer on asset (customer_id) where revoked_time is null;
