-- A bearer token, of which only the hash is stored. Expired ones are swept.
create table access_token (
  token_hash bytea primary key,
  application_id bigint not null references application,
  scopes text[] not null,
  expires_time timestamptz not null
);
create index access_token_expires_time on access_token (expires_time);
