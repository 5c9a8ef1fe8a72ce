-- Operators of the service: who may log in to the console, their sessions and what they changed (rules 9). The tables are
-- new, so this takes no time and waits for nobody.
create table operator (
  id bigint generated always as identity primary key,
  name text not null constraint operator_name_taken unique check (name ~ '^[a-z0-9]([a-z0-9._-]{0,61}[a-z0-9])?$'),
  role text not null check (role in ('viewer', 'support', 'admin')),
  password_hash text not null,
  created_time timestamptz not null default statement_timestamp(),
  disabled_time timestamptz
);

-- A session is known by the hash of its token. It ends at expires_time, which moves on while it is used, to end_time at
-- most. Rows are swept once they have expired.
create table operator_session (
  token_hash bytea primary key,
  operator_id bigint not null references operator,
  created_time timestamptz not null default statement_timestamp(),
  used_time timestamptz not null default statement_timestamp(),
  expires_time timestamptz not null,
  end_time timestamptz not null,
  check (expires_time <= end_time)
);
create index operator_session_operator on operator_session (operator_id, created_time);
create index operator_session_expires_time on operator_session (expires_time);

-- Failed logins of a name within the last 15 minutes, whether or not there is such an operator, by the address that they
-- came from, and from all addresses together (the empty text). Rows are swept once they have expired.
create table operator_login_failure (
  name_hash bytea not null,
  address text not null,
  failed_times timestamptz[] not null,
  locked_until timestamptz,
  expires_time timestamptz not null,
  primary key (name_hash, address)
);
create index operator_login_failure_expires_time on operator_login_failure (expires_time);

-- Who changed what in the console, one row a change; without an operator it was the command. Rows are added and never
-- changed. Not jsonb, which does not keep the order of the fields.
create table operator_record (
  id bigint generated always as identity primary key,
  operator_id bigint references operator,
  action text not null,
  target text,
  before json,
  after json,
  request_id text not null,
  recorded_time timestamptz not null default statement_timestamp()
);
create index operator_record_operator on operator_record (operator_id, id);
create index operator_record_target on operator_record (target, id);
create index operator_record_action on operator_record (action, id);
create trigger refuse_change before update or delete or truncate on operator_record
  for each statement execute function refuse_change();
