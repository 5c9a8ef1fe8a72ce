drop table lock_audit;
drop function refuse_change();
