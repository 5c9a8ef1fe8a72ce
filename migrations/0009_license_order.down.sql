drop table license_order;
