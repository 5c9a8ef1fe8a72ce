drop index merchandise_instance_revoked;
drop index merchandise_instance_once_bought;
drop index product_instance_revoked;
drop index product_instance_once_bought;
create or replace trigger check_stays after update on asset
  referencing old table as before new table as changed
  for each statement execute function check_stays('id, asset_num, license_type');
alter table asset drop column created_by_order_id;
