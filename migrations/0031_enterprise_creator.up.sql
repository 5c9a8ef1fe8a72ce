-- The application whose O2 created an enterprise; null if O1 or the demo created it, and for old ones.
alter table enterprise add column created_by_application_id bigint references application;
