drop table asset_lending; drop table asset_assignment;
