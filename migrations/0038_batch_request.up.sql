-- The x-request-id of the call that a batch was accepted with, as the log lines of that call have it; null for those of
-- before.
alter table batch add column request_id text;
