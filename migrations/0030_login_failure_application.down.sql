-- An account that any application has locked stays locked; other failed logins are forgotten.
update login_failure as everybody set
  locked_until = (select max(locked_until) from login_failure where account_hash = everybody.account_hash),
  failed_times = '{}'
where application_id = 0;
delete from login_failure where application_id <> 0;
alter table login_failure drop constraint login_failure_pkey;
alter table login_failure drop column application_id;
alter table login_failure add primary key (account_hash);
