drop index product_instance_revoked_by;
drop index asset_grant_revoked_by;
drop index license_order_customer;
drop index license_order_failed;
drop index batch_failed_accepted;
drop index batch_open_accepted;
drop index batch_channel_accepted;
drop index batch_accepted;
