drop table enterprise;
