drop index asset_revoked_number;
