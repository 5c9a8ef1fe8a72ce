-- The application whose O2 made an enterprise; null for those of O1, of the demo, and of before.
alter table enterprise add column created_by_application_id bigint references application;
