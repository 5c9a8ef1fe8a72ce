drop table event_counter;
drop table event;
drop table unnumbered_event;
alter table batch drop column reopened_time;
