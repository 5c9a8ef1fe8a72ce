-- The order that a succeeded order named as its source (srcLicenseOrderId). It is not known of old orders.
--
-- Locks the lanes first: drains that run finish, and no order is carried out until these migrations are done.
select pg_advisory_xact_lock(1818324581, lane) from generate_series(0, 15) as lane;
alter table license_order add column src_license_order_id bigint;
