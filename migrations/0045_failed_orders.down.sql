drop index failed_order_failed_time;
drop index failed_order_asset_nums;
alter table failed_order drop column asset_nums;
