drop table member;
