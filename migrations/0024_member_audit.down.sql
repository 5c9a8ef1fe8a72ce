drop table member_audit;
