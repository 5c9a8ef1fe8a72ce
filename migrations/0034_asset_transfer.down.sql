drop table asset_transfer;
