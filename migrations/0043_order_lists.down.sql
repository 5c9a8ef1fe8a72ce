drop index asset_grant_revoked;
drop index license_order_customer;
drop index license_order_failed;
drop index batch_failed_accepted;
drop index batch_open_accepted;
drop index batch_channel_accepted;
drop index batch_accepted;
