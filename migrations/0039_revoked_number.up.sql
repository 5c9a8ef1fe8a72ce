-- For what looks for assets that a number had before. It costs a revocation an entry, and a purchase nothing.
create index asset_revoked_number on asset (asset_num, revoked_time) where revoked_time is not null;
