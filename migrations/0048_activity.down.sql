drop table failure_activity;
drop table order_activity;
drop table uncounted_activity;
