-- A token with a member is that of a logged-in user; it ends with the member or with the password.
alter table access_token add column member_id bigint references member;
create index access_token_member on access_token (member_id) where member_id is not null;

-- Failed logins of an account within the last 15 minutes, whether or not the account exists, and until when they keep
-- it locked (rules 2). Rows are swept once they have expired.
create table login_failure (
  account_hash bytea primary key,
  failed_times timestamptz[] not null,
  locked_until timestamptz,
  expires_time timestamptz not null
);
create index login_failure_expires_time on login_failure (expires_time);
