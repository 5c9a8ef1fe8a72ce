drop table product_instance;
