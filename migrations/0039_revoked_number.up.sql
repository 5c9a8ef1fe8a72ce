-- To find the revoked assets of a number. It costs a revocation an entry, and a purchase nothing.
create index asset_revoked_number on asset (asset_num, revoked_time) where revoked_time is not null;
