alter table application drop column old_secret_hash, drop column old_secret_end_time;
