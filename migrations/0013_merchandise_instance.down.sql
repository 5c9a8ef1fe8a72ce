drop table merchandise_instance;
