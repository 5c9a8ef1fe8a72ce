drop table customer;
