drop table period_archive;
drop table archived_order;
drop table archived_batch;
