drop trigger check_inserted on product_instance;
drop trigger check_inserted on merchandise_instance;
drop trigger check_inserted on asset_grant;
drop trigger check_updated on asset;
drop trigger check_inserted on asset;
drop function check_contents;
drop function check_assets;
