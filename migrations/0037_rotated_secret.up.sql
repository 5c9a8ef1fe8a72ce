-- The secret before the last rotation, hashed, which is good until its end; null if there is none (rules 2).
alter table application
  add column old_secret_hash bytea,
  add column old_secret_end_time timestamptz,
  add check ((old_secret_hash is null) = (old_secret_end_time is null));
