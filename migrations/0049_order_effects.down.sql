drop index product_instance_revoker;
drop index asset_grant_revoker;
drop index asset_grant_revoked_order;
drop index asset_grant_order;
