drop trigger check_taken_back on license_order;
drop trigger refuse_change on license_order;
create trigger refuse_change before update or delete or truncate on license_order
  for each statement execute function refuse_change();
drop function check_taken_back();
drop index license_order_internal_error;
drop table order_retry;
drop table failed_order;
