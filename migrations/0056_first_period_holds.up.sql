-- Looks at every row once, while all go on reading and writing: so the step to partitions does not need to. It takes about
-- a second for each million orders.
-- functions b6f9fd048da012e4
alter table batch validate constraint batch_first_period;
alter table lane_chunk validate constraint lane_chunk_first_period;
alter table license_order validate constraint license_order_first_period;
alter table event validate constraint event_first_period;
alter table member_audit validate constraint member_audit_first_period;
alter table operator_record validate constraint operator_record_first_period;
