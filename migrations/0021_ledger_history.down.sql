drop function check_updated_products() cascade;
drop function check_updated_merchandises() cascade;
drop function check_products() cascade;
drop function check_merchandises() cascade;
drop function check_revoked_grants() cascade;
drop function check_grants() cascade;
drop function check_released() cascade;
drop function check_revoked_stays() cascade;

create trigger check_inserted after insert on merchandise_instance
  referencing new table as changed for each statement execute function check_contents();
create trigger check_inserted after insert on product_instance
  referencing new table as changed for each statement execute function check_contents();

alter function check_assets() reset all;
alter function check_contents() reset all;
