-- For the lists of batches and orders (rules 6.7). Each index walks what one filter leaves, newest first, so that a page
-- costs the same wherever it is.
--
-- Building them reads batch, license_order and what was revoked, once for each index; nobody can write to these tables
-- before the commit, and nobody carries orders out. Five seconds for each million orders on a busy machine of two cores.
--
-- An index cannot be built concurrently in the transaction of the migrations. That goes for all of this file.

-- All batches of an application, and those of one of its channels.
-- squawk-ignore require-concurrent-index-creation
create index batch_accepted on batch (application_id, accepted_time, id);
-- squawk-ignore require-concurrent-index-creation
create index batch_channel_accepted on batch (application_id, channel_code, accepted_time, id);
-- Those that are open, and those of which an order has failed. A batch ends from the one into the other, or into neither.
-- squawk-ignore require-concurrent-index-creation
create index batch_open_accepted on batch (application_id, accepted_time, id) where completed_time is null;
-- squawk-ignore require-concurrent-index-creation
create index batch_failed_accepted on batch (application_id, accepted_time, id) where failed > 0;

-- The failed orders of a batch. Costs orders that fail an entry.
-- squawk-ignore require-concurrent-index-creation
create index license_order_failed on license_order (id) where cause is not null;
-- The orders of a customer that have their outcome. Costs every order an entry, of about 30 bytes.
-- squawk-ignore require-concurrent-index-creation
create index license_order_customer on license_order (customer_id, id);

-- Which orders ended grants of an asset. Costs what is revoked an entry, and a purchase nothing. product_instance_revoked,
-- of the migration after this one, says it of products.
-- squawk-ignore require-concurrent-index-creation
create index asset_grant_revoked on asset_grant (asset_id, revoked_by_order_id) where revoked_time is not null;
