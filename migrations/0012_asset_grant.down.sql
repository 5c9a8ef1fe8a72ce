drop table asset_grant;
