-- For the console: what an order did. Until now the ledger was looked up by asset only.
--
-- Building them reads asset_grant three times and product_instance once, and nobody can write to them before the commit:
-- some ten seconds for 10 million of each. They cannot be built concurrently in the transaction of the migrations.

-- The grants of an order that last, of which there are very many. They are written about in the order of their ids, so a
-- summary of each few pages finds them, and a purchase pays next to nothing: pages are summarized when they are full.
-- Grants that were taken over or left behind by a late order are outliers, which this kind of summary bears.
-- squawk-ignore require-concurrent-index-creation
create index asset_grant_order on asset_grant using brin (license_order_id int8_minmax_multi_ops)
  with (pages_per_range = 16, autosummarize = on) where revoked_time is null;
-- The grants of an order that are revoked, and those that an order revoked. A revocation pays for the entries.
-- squawk-ignore require-concurrent-index-creation
create index asset_grant_revoked_order on asset_grant (license_order_id) where revoked_time is not null;
-- squawk-ignore require-concurrent-index-creation
create index asset_grant_revoker on asset_grant (revoked_by_order_id) where revoked_time is not null;
-- The products that an order revoked.
-- squawk-ignore require-concurrent-index-creation
create index product_instance_revoker on product_instance (revoked_by_order_id) where revoked_time is not null;
