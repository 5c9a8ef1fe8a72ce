alter table asset drop column locked, drop column freezing, drop constraint asset_license_type;
