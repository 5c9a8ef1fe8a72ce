drop table login_failure;
delete from access_token where member_id is not null;
alter table access_token drop column member_id;
