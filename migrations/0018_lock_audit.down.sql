drop table lock_audit;
