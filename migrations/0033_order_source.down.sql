alter table license_order drop column src_license_order_id;
