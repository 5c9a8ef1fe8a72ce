alter table batch drop constraint batch_first_period,
  add constraint batch_first_period check (id < '1073741824'::bigint) not valid;
alter table lane_chunk drop constraint lane_chunk_first_period,
  add constraint lane_chunk_first_period check (batch_id < '1073741824'::bigint) not valid;
alter table license_order drop constraint license_order_first_period,
  add constraint license_order_first_period check (id < '8796093022208'::bigint) not valid;
alter table event drop constraint event_first_period,
  add constraint event_first_period check (batch_id < '1073741824'::bigint) not valid;
alter table member_audit drop constraint member_audit_first_period,
  add constraint member_audit_first_period check (id < '8796093022208'::bigint) not valid;
alter table operator_record drop constraint operator_record_first_period,
  add constraint operator_record_first_period check (id < '8796093022208'::bigint) not valid;
