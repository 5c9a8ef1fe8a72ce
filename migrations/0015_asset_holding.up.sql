-- Who holds an asset, and the borrowed lock that it is lent into. A row lasts as long as that; revoking or
-- transferring the asset (or, for a lending, the lock) removes it.
create table asset_assignment (
  asset_id bigint primary key references asset,
  member_id bigint not null references member,
  created_time timestamptz not null default now()
);
create table asset_lending (
  asset_id bigint primary key references asset,
  lock_asset_id bigint not null references asset,
  created_time timestamptz not null default now(),
  check (asset_id <> lock_asset_id)
);
create index asset_lending_lock on asset_lending (lock_asset_id);
