drop table replica_mark;
