drop table asset_number;
