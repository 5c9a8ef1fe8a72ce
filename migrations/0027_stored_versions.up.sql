-- Batches and pending orders outlive the release that stored them, so they say in which form it stored them. Old rows
-- are of form 1.
alter table batch add column digest_version smallint not null default 1;
alter table lane_chunk add column payload_version smallint not null default 1;
