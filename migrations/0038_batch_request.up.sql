-- The x-request-id of the call that brought a batch, as in the log lines of that call; null for old batches.
alter table batch add column request_id text;
