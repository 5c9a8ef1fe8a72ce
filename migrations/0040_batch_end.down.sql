drop trigger check_ends on batch;
drop trigger refuse_change on batch;
drop function check_batch_ends();
drop index batch_open;
alter table batch drop column completed_time, drop column succeeded, drop column failed;
