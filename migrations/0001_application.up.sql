-- A client of the API: a channel's system or the member center's client program (rules 2).
create table application (
  id bigint generated always as identity primary key,
  app_key text not null unique,
  name text not null,
  secret_hash bytea not null,
  scopes text[] not null check (scopes <@ array['auth_order', 'auth_me']),
  status text not null default 'pending' check (status in ('pending', 'approved', 'suspended')),
  created_time timestamptz not null default now()
);
