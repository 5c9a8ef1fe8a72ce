drop table application;
