-- What the member center knows of an employee. A deleted one stays on record, and its account name is free again.
alter table member
  add column name text,
  add column department_id bigint check (department_id >= 0),
  add column remark text check (char_length(remark) <= 200),
  add column password_mobile text,
  -- argon2id in PHC string format; null: nobody can log in yet.
  add column password_hash text check (password_hash like '$argon2id$%'),
  -- Created with the enterprise or by the operator of the service, not by an administrator.
  add column is_provisioned boolean,
  add column updated_time timestamptz,
  add column deleted_time timestamptz,
  alter column created_time set default statement_timestamp();
update member set name = left(user_name, 30), is_provisioned = true, updated_time = created_time;
alter table member
  alter column name set not null,
  alter column is_provisioned set not null,
  alter column updated_time set not null,
  alter column updated_time set default statement_timestamp(),
  add constraint member_name check (char_length(name) between 1 and 30),
  add constraint member_times check (updated_time >= created_time and deleted_time >= created_time),
  drop constraint member_enterprise_id_user_name_key;
create unique index member_account on member (enterprise_id, user_name) where deleted_time is null;
-- For the response to a repeated O2, which names deleted employees too.
create index member_provisioned on member (enterprise_id, user_name, id) where is_provisioned;
create index member_newest on member (enterprise_id, id) where deleted_time is null;

create index asset_assignment_member on asset_assignment (member_id);
