-- The history of an asset number is read from the rows of the ledger. They lack one thing: which order created an asset.
-- Grants do not say it for certain where the clock was set back. It is null for assets that exist already.
--
-- Locks the lanes first: drains that run finish, and no order is carried out until these migrations are done.
select pg_advisory_xact_lock(1818324581, lane) from generate_series(0, 15) as lane;
alter table asset add column created_by_order_id bigint;
create or replace trigger check_stays after update on asset
  referencing old table as before new table as changed
  for each statement execute function check_stays('id, asset_num, license_type, created_by_order_id');

-- To page through what an order bought onto an asset, or revoked there, however much of it was revoked over the years.
-- A revocation pays for the entries, a purchase does not. Building them reads each table twice, and nobody can write to
-- it before the commit: some ten seconds for 10 million products.
-- squawk-ignore require-concurrent-index-creation
create index product_instance_once_bought on product_instance (asset_id, license_order_id, id)
  where revoked_time is not null;
-- squawk-ignore require-concurrent-index-creation
create index product_instance_revoked on product_instance (asset_id, revoked_by_order_id, id)
  where revoked_time is not null;
-- squawk-ignore require-concurrent-index-creation
create index merchandise_instance_once_bought on merchandise_instance (asset_id, license_order_id, id)
  where revoked_time is not null;
-- squawk-ignore require-concurrent-index-creation
create index merchandise_instance_revoked on merchandise_instance (asset_id, revoked_by_order_id, id)
  where revoked_time is not null;
