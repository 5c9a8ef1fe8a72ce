drop table asset;
