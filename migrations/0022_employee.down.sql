drop index asset_assignment_member;
drop index member_newest;
drop index member_provisioned;
drop index member_account;
delete from member where deleted_time is not null;
alter table member
  add constraint member_enterprise_id_user_name_key unique (enterprise_id, user_name),
  drop constraint member_times,
  drop constraint member_name,
  alter column created_time set default now(),
  drop column deleted_time,
  drop column updated_time,
  drop column is_provisioned,
  drop column password_hash,
  drop column password_mobile,
  drop column remark,
  drop column department_id,
  drop column name;
