-- Failed logins count for an account by the application that they came through, and for all applications together
-- (application_id 0). Those counted so far are of all.
alter table login_failure add column application_id bigint not null default 0;
alter table login_failure alter column application_id drop default;
alter table login_failure drop constraint login_failure_pkey;
alter table login_failure add primary key (account_hash, application_id);
